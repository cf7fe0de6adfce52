# lines.gp - draws tests/ptx/lines.svg (make ptx-lines). gather: what `build/ptx/gather lines` prints; plan: row bytes, features' lines by the rule and
# counted, topology's by the rule, at entries, at offsets; out: the picture.
set terminal svg size 900,330 font 'Helvetica,13' background '#ffffff'
set output out
set multiplot layout 1,2
set logscale x 2
set xrange [3:5500]
set xtics (4, 16, 64, 256, 1024, 4096) nomirror
set ytics nomirror
set border 3
set grid ytics lc '#e4e4e4'
set xlabel 'bytes of a feature row'
set key left top Left reverse samplen 1.5

set title 'A gather of 64 scattered rows'
set ylabel 'lines of 64 bytes per row'
set logscale y 2
set yrange [0.8:128]
set ytics (1, 2, 4, 8, 16, 32, 64)
aligned = "< awk '$2 == 0' ".gather
beyond = "< awk '$2 == 4' ".gather
plot aligned using 1:($6 / 64.0) with lines lc '#d55e00' title 'rule: rows at multiples of their size', \
     beyond using 1:($6 / 64.0) with lines lc '#0072b2' dt 2 title 'rule: 4 bytes beyond', \
     aligned using 1:($7 / 64.0) with points pt 6 ps 0.9 lw 1.5 lc '#d55e00' title 'counted', \
     beyond using 1:($7 / 64.0) with points pt 2 ps 0.7 lw 1.5 lc '#0072b2' title 'counted, 4 bytes beyond'

set title 'All mini-batches of one GPU of a plan'
set ylabel 'lines counted / lines by the rule'
unset logscale y
set yrange [0:1.4]
set ytics 0, 0.25
set key left bottom
plot 1 with lines lc '#666666' title 'the rule', \
     plan using 1:(($5 + $6) / $4) with linespoints pt 7 ps 0.6 lc '#00805f' title 'topology: offsets and drawn entries', \
     plan using 1:($3 / $2) with linespoints pt 6 ps 0.9 lw 1.5 lc '#d55e00' title 'feature rows'
unset multiplot
