# Names of variables in the site table.
programs="$here/programs"
expect names-builds cc "$programs/names.c" -o names -pthread

while read -r site; do
	has_site "name: $site" names "$site"
done <<'LIST'
worker q->lock
worker q->head
worker q->head->next
worker q->head->next->key
worker q->n
worker p->items\[\]
worker p->in.b
worker p->next
worker counter
count_calls calls
through_pointer \*p
through_pointer p\[\]
through_pointer p\[3\]
blocks nodes\[1\]
blocks nodes\[2\]
blocks nodes\[3\]
blocks buffer
unions_and_bits flags.{a,b}
unions_and_bits flags.c
unions_and_bits word.i
unions_and_bits word.d
unions_and_bits word.c\[3\]
atomics atom
atomics pair
atomics top
atomics counter
main queue.lock
main queue.head
main nodes\[0\].next
main worker
main threads\[\]
main table\[\]
main table\[3\]
main grid\[\]\[2\]
main chosen
main chosen->head->in.a
main chosen->lock
main deep.q\[\].lock
main own
main \*pointer
main flexible->data\[\]
LIST

# what no other thread can touch, and what nobody writes, is not announced
no_site private-local names 'local_variables .*'
no_site private-copy names 'blocks copy.*'
no_site constants names 'main constants.*'
