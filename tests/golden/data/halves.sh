# halves.sh - sourced by the cases: halves writes graph G of eight vertices in two halves, 0 .. 3 and 4 .. 7, with one arc to the other half each (0 to 7, 4 to 3);
# rows of 16 float32 (64 bytes); training vertices 0 1 4 5. Any other even split cuts more.
halves() {
    printf '%s\n' "0 2" "0 3" "0 7" "1 3" "2 0" "2 1" "2 3" "3 0" "3 1" "3 2" "4 6" "4 7" "4 3" "5 7" "6 4" "6 5" "6 7" "7 4" "7 5" "7 6" >halves.txt
    printf '0\n1\n4\n5\n' >trained.txt
    "$HOTSET" graph import halves.txt --sample out --train trained.txt --feature-dim 16 -o G --quiet >/dev/null
}
# by_part: lines of `plan` without the names of GPUs, in the order of what they train: which half is whose is the partitioner's choice.
by_part() { sed 's/^gpu[0-9]* //' | sort -s -t, -k1,1 ; }
