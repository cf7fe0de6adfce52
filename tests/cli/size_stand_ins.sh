#!/usr/bin/env bash
# The first line of size --like: row, element and training set of the data set, by the counts of its own page, not those of hotset.
. "$(dirname "$0")/tap"
few="--scale 0.0002 --server dgx-v100 --steps 1 --repeats 0 --presample-epochs 1 --simulate-epochs 1 --quiet"
first() { "$HOTSET" size --like "$1" $few 2>/dev/null | head -n 1; }
# 1,207,179 of 111,059,956; 1,112,392 of 121,751,666; 196,615 of 2,449,029 (Legion's table: 195,000 of 2.4 M)
ok "papers100M trains 1.09 % of its vertices, 128 floats each" eval 'first papers100m | grep -q "111 M vertices.* 128 x f32 .* 1.21 M training vertices (1.09 %).* Source: "'
ok "MAG240M trains 0.91 % of its papers, 768 halves each" eval 'first mag240m | grep -q "122 M vertices.* 768 x f16 .* 1.11 M training vertices (0.91[0-9]* %).* Source: "'
ok "products trains 8 %, 100 floats each" eval 'first products | grep -q "2.4 M vertices.* 100 x f32 .* training vertices (8.[01][0-9]* %).* Source: "'
# 547,306,935 vertices, 5,812,005,639 edges and as many back; 94,605,581 train
ok "IGBH-full trains 94.6 M of 547 M" eval 'first igbh-full | grep -q "547 M vertices, 11.6 G arcs.* paper 1024 x .* 94.6 M training vertices (17.3 %).* Source: "'
finish
