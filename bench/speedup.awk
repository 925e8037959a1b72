# The speedup by the number of workers, both axes logarithmic.  Input: lines "name workers speedup", in which the name
# `measured:NAME` is a point instead of a curve.
#
#   awk -f bench/speedup.awk bench/speedup.txt >docs/speedup.svg

function log10(x)
{
	return log(x) / log(10)
}

function px(workers)
{
	return 60 + log10(workers) / 4 * 480
}

function py(speedup)
{
	return 380 - log10(speedup < 1 ? 1 : speedup) / 4 * 340
}

BEGIN {
	split("#1b6ca8 #c0392b #2e8b57 #8e44ad #b8860b #444444", colours, " ")
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 440\" font-family=\"sans-serif\" font-size=\"12\">"
	print "<rect width=\"760\" height=\"440\" fill=\"white\"/>"
	for (i = 0; i <= 4; i++) {
		printf "<line x1=\"60\" y1=\"%.1f\" x2=\"540\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", py(10 ^ i), py(10 ^ i)
		printf "<line x1=\"%.1f\" y1=\"40\" x2=\"%.1f\" y2=\"380\" stroke=\"#ddd\"/>\n", px(10 ^ i), px(10 ^ i)
		printf "<text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", py(10 ^ i) + 4, 10 ^ i
		printf "<text x=\"%.1f\" y=\"398\" text-anchor=\"middle\">%d</text>\n", px(10 ^ i), 10 ^ i
	}
	print "<text x=\"300\" y=\"424\" text-anchor=\"middle\">workers</text>"
	print "<text x=\"60\" y=\"24\" font-size=\"14\">Speedup: simulated (curves) and measured (dots)</text>"
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n", \
		px(1), py(1), px(10000), py(10000)
}

/^measured:/ {
	sub(/^measured:/, "", $1)
	printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"none\" stroke=\"black\"/>\n", px($2), py($3)
	next
}

$1 == "paper" {
	printf "<path d=\"M%.1f %.1fl-5 5m5 -5l5 5m-5 -5l-5 -5m5 5l5 -5\" stroke=\"black\"/>\n", px($2), py($3)
	printf "<text x=\"556\" y=\"%d\">× the paper: 63.2 of 64</text>\n", 340
	next
}

{
	if (!($1 in number))
		number[$1] = ++curves
	points[$1] = points[$1] (points[$1] == "" ? "M" : " L") sprintf("%.1f %.1f", px($2), py($3))
}

END {
	for (name in number) {
		i = number[name]
		label = name
		gsub(/_/, " ", label)
		printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", points[name], colours[i]
		printf "<line x1=\"556\" y1=\"%d\" x2=\"576\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>\n", \
			60 + 20 * i, 60 + 20 * i, colours[i]
		printf "<text x=\"582\" y=\"%d\">%s</text>\n", 64 + 20 * i, label
	}
	print "<text x=\"556\" y=\"320\">○ measured, two cores</text>"
	print "</svg>"
}
