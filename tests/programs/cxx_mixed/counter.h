#ifndef COUNTER_H
#define COUNTER_H

#ifdef __cplusplus
extern "C" {
#endif

void counter_add(int n);
void counter_visit(void (*visit)(int));

#ifdef __cplusplus
}
#endif

#endif
