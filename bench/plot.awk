# The growth curves of bench/results.json as a picture: time of an execution by its length and by its
# number of threads, both axes logarithmic.
#
#   awk -f bench/plot.awk bench/results.json >bench/growth.svg

function number(name,    text)
{
	if (!match($0, "\"" name "\": [0-9.]+"))
		return 0
	text = substr($0, RSTART, RLENGTH)
	sub(/.*: /, "", text)
	return text + 0
}

function log10(x)
{
	return log(x) / log(10)
}

# One diagram: points xs, ys; x from 10^x0 to 10^x1.
function diagram(left, title, unit, n, xs, ys, x0, x1,    i, y0, y1, x, y, path)
{
	y0 = 9; y1 = -9
	for (i = 1; i <= n; i++) {
		y = log10(ys[i])
		if (y < y0) y0 = y
		if (y > y1) y1 = y
	}
	y0 = int(y0 + 9) - 9; y1 = int(y1 + 10) - 9
	printf "<text x=\"%d\" y=\"20\" class=\"title\">%s</text>\n", left, title
	for (i = y0; i <= y1; i++) {
		y = 260 - (i - y0) / (y1 - y0) * 220
		printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>\n", left, y, left + 300, y
		printf "<text x=\"%d\" y=\"%.1f\" class=\"end\">%g µs</text>\n", left - 4, y + 4, 10 ^ i
	}
	for (i = 1; i <= n; i++) {
		x = left + (log10(xs[i]) - x0) / (x1 - x0) * 300
		y = 260 - (log10(ys[i]) - y0) / (y1 - y0) * 220
		path = path sprintf("%s%.1f %.1f", i > 1 ? " L" : "M", x, y)
		printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x, y
		printf "<text x=\"%.1f\" y=\"278\" class=\"middle\">%d</text>\n", x, xs[i]
	}
	printf "<path d=\"%s\"/>\n", path
	printf "<text x=\"%d\" y=\"296\" class=\"middle\">%s</text>\n", left + 150, unit
}

/"growth_events"/ { part = "events" }
/"growth_threads"/ { part = "threads" }
part == "events" && number("events") { ex[++ne] = number("events"); ey[ne] = number("us_per_execution") }
part == "threads" && number("threads") { tx[++nt] = number("threads"); ty[nt] = number("us_per_execution") }

END {
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"310\" font-family=\"sans-serif\" font-size=\"11\">"
	print "<style>circle{fill:#15c}path{fill:none;stroke:#15c}.grid{stroke:#ddd}.title{font-size:13px}.end{text-anchor:end}.middle{text-anchor:middle}</style>"
	print "<rect width=\"820\" height=\"310\" fill=\"white\"/>"
	diagram(90, "Time of an execution, 2 threads", "events", ne, ex, ey, 1, 4.1)
	diagram(490, "Time of an execution of about 500 events", "threads", nt, tx, ty, 0.2, 1.9)
	print "</svg>"
}
