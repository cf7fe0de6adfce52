#!/usr/bin/env bash
# The first line of size --like: row, element and training set of the data set, by the counts of its own page, not those of hotset.
. "$(dirname "$0")/tap"
few="--scale 0.0002 --server dgx-v100 --steps 1 --repeats 0 --presample-epochs 1 --simulate-epochs 1 --quiet"
first() { "$HOTSET" size --stand-in "$1" $few 2>/dev/null | unbroken | head -n 1; }
# 1,207,179 of 111,059,956; 1,112,392 of 121,751,666; 196,615 of 2,449,029 (Legion's table: 195,000 of 2.4 M)
ok "papers100M trains 1.09 % of its vertices, 128 floats each" eval 'first papers100m | grep -q "(scale 0.0002).* 111 M vertices, 3.2[0-9]* G arcs (1.6 G as published plus their reverse), rows of 128 x f32 .* 1.21 M training vertices (1.09 %) from the last 6 % of the ids. Source: "'
ok "MAG240M trains 0.91 % of its papers, 768 halves each" eval 'first mag240m | grep -q "122 M vertices, 2.6[0-9]* G arcs (1.3 G as published plus their reverse), .* 768 x f16 .* 1.11 M training vertices (0.91[0-9]* %).* Source: "'
ok "products trains 8 %, 100 floats each" eval 'first products | grep -q "2.4 M vertices, .* arcs (undirected: both directions), .* 100 x f32 .* training vertices (8.[01][0-9]* %).* Source: "'
# 547,306,935 vertices, 5,812,005,639 edges and as many back; 94,605,581 train
ok "IGBH-full trains 94.6 M of 547 M" eval 'first igbh-full | grep -q "547 M vertices, 11.6 G arcs (5.81 G as published plus their reverse).* paper 1024 x .* 94.6 M training vertices (17.3 %).* Source: "'
ok "uk-union keeps the published direction" eval 'first uk-union | grep -q "133 M vertices, 5.[45][0-9]* G arcs (as published), "'

rest
# ---- --reverse-edges: 1.6 G arcs of papers100M are published; 3,228,124,712 are left with their reverse, of 3,231,371,744
ok "papers100M in its own direction" eval '"$HOTSET" size --stand-in papers100m --reverse-edges no $few 2>/dev/null | unbroken | head -n 1 | grep -q "111 M vertices, 1.6[0-9]* G arcs (as published), rows "'
ok "which is the direction of XGNN's rates" eval '"$HOTSET" size --stand-in papers100m --reverse-edges no $few 2>/dev/null | unbroken | sed -n 2p | grep -q "98.4 % were measured on the data set (XGNN, cache_hit.dat, arcs as published)"'
ok "GraphBolt's are with reverse arcs" eval '"$HOTSET" size --stand-in papers100m $few 2>/dev/null | unbroken | sed -n 2p | grep -q "96.8 % were measured on the data set (GraphBolt.s example, SIEVE, reverse arcs added)"'
ok "of mag240m neither is known" eval '"$HOTSET" size --stand-in mag240m $few 2>/dev/null | unbroken | sed -n 2p | grep -q "not known"'
ok "the document has it" eval '"$HOTSET" size --stand-in papers100m --reverse-edges no $few -o no.json >/dev/null && "$HOTSET" size --stand-in papers100m $few -o yes.json >/dev/null && grep -q "\"reverse_edges\": false" no.json && grep -q "\"reverse_edges\": true" yes.json'
ok "inference says it, too" eval '"$HOTSET" size --job inference --stand-in papers100m --reverse-edges no --scale 0.0002 --server dgx-h100 --quiet | head -n 1 | grep -q "^Stand-in for papers100m.* 1.6[0-9]* G arcs (as published), "'
synth() { "$HOTSET" graph synth like "$@" --quiet >made; }
cp "$root/tests/cli/stand_in_direction.py" .
ok "both directions are the arcs of one and their reverse, each once" eval 'synth papers100m --scale 0.0002 --reverse-edges no -o one && synth papers100m --scale 0.0002 -o both && python3 stand_in_direction.py both one both'
ok "yes is the default of papers100M, no of web graphs" eval 'synth papers100m --scale 0.0002 --reverse-edges yes -o yes && diff -rx .hotset both yes && synth uk-union --scale 0.00001 -o uk && synth uk-union --scale 0.00001 --reverse-edges no -o uk-no && diff -rx .hotset uk uk-no && grep -q "\"sample\": \"in\"" uk/graph.json'
ok "undirected edges have both: no is refused" eval 'exits 2 "$HOTSET" graph synth like products --reverse-edges no -o X && grep -q "edges of products-0.01 are undirected" .stderr && exits 2 "$HOTSET" size --like products --reverse-edges no --server dgx-v100 && grep -q "edges of products are undirected" .stderr'
ok "a graph has its own arcs" eval 'exits 2 "$HOTSET" size --graph one --reverse-edges no --server dgx-v100 && grep -q "graph import --undirected" .stderr'
ok "a stated share of arcs between fields is taken, even the usual one of other kinds" eval 'synth papers100m --scale 0.0002 --mixing 0.1 -o mixed && ! cmp -s mixed/indices.npy both/indices.npy'

# ---- rows per seed: unique vertices of a mini-batch of 1,024 x scale; measured on papers100M 1,182 (DiskGNN) and 635 to 656 (GraphBolt)
rows() { "$HOTSET" plan --graph "$1" --server dgx-v100:1 --policy dgl-uva --budget 0 --batch 2 --fanout "$2" --frontier all --presample-epochs 1 --simulate-epochs 1 --quiet -o P --force >/dev/null && python3 stand_in_direction.py rows P "$3" "$4"; }
synth papers100m --scale 0.002 -o fifth
ok "rows per seed with reverse arcs, fan-outs 20,15,10" rows fifth 20,15,10 1182 1300
ok "10,10,10" rows fifth 10,10,10 690 760
synth papers100m --scale 0.002 --reverse-edges no -o published
ok "a third of them in the published direction" rows published 20,15,10 330 450

# ---- several types: what is published x 0.001 (OGB-LSC: 1,297,748,926, 386,022,720 and 44,592,586), and both directions of each relation
edges() { "$HOTSET" graph info "$1" --json | python3 -c "
import json, sys
found = {r['name']: r['edges'] for r in json.load(sys.stdin)['relations']}
wanted = dict(a.split('=') for a in sys.argv[1:])
assert sorted(found) == sorted(wanted) and all(abs(found[k] / float(v) - 1) < 3e-3 for k, v in wanted.items()), found" "${@:2}"; }
ok "mag240m-hetero as published" eval 'synth mag240m-hetero --scale 0.001 --reverse-edges no -o M && edges M cites=1297749 writes=386023 affiliated_with=44593 && grep -q "\"origin\": \"synth like mag240m-hetero\"" M/graph.json'
ok "and as R-GNNs train it: symmetric citations in one relation" eval 'synth mag240m-hetero --scale 0.001 -o M2 && edges M2 cites=2595498 writes=386023 rev_writes=386023 affiliated_with=44593 rev_affiliated_with=44593 && grep -q "\"origin\": \"synth like mag240m-hetero, reverse edges added\"" M2/graph.json'
finish
