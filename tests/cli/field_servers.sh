#!/usr/bin/env bash
# Servers as people's own files describe them: shared uplinks, broken GPUs, C2C, virtual machines, AMD, lists of NUMA nodes, counters that wrapped. The files
# here have the traits of public reports; the reports' own are read, too, where they lie beside the clone. Every number was worked out by hand.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
field=$root/../shared/data/field
import() { "$HOTSET" server import "$@" --force -o S.json >/dev/null 2>said && "$HOTSET" server show S.json --explain >shown; }
says() { tr '\n' ' ' <said | tr -s ' ' | grep -q -- "$1" || { cat said; return 1; }; }
json() { python3 -c 'import json, sys; d = json.load(open("S.json")); print(eval(sys.argv[1]))' "$1"; }
kind() { json "' '.join(p['kind'] for p in d['provenance'] if p['what'] == '$1')"; }  # of a number's provenance
places() { json "' '.join(str(g['$1']) for g in d['gpus'])"; }
# A column of the table of aggregate bandwidth, without the commas: GPUs used, GB/s
aggregate() { awk -v c="$1" '/^Aggregate/ { on = 1 } on && $1 ~ /^[0-9]+$/ { gsub(",", ""); printf "%s%s:%s", sep, $1, $c; sep = " " } on && !NF { exit }' shown; }
matrix() { # GPUS LINK LOST ROWS-END..: topo -m of a fabric; LOST: a GPU without links, - for none; ROWS-END: what follows the cells of each row
    local n=$1 link=$2 lost=$3 i j
    shift 3
    for ((i = 0; i < n; i++)); do printf '\tGPU%d' $i; done
    printf '\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n'
    for ((i = 0; i < n; i++)); do
        printf 'GPU%d' $i
        for ((j = 0; j < n; j++)); do
            if [ $i = $j ]; then printf '\t X '
            elif [ $i = "$lost" ] || [ $j = "$lost" ]; then printf '\tPHB'
            else printf '\t%s' "$link"; fi
        done
        printf '\t%b\n' "$1"
        [ $# = 1 ] || shift
    done
}
real() { [ -f "$field/$1" ]; } # tests of the reports' own files

# ---- the rate of an uplink is copied with who shares it
# p4d.24xlarge: two GPUs below each switch, PCIe 3.0 x16 (15.76 GB/s each way): 4 uplinks x 2 x 15.76 = 126 GB/s
matrix 8 NV12 - '0-47\t0\t\tN/A' '0-47\t0\t\tN/A' '0-47\t0\t\tN/A' '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' >a100.txt
ok "eight GPUs like p4d.24xlarge" import a100.txt --rates-of p4d.24xlarge
ok "share its uplinks" [ "$(aggregate 2)" = "1:31.5 2:31.5 4:63.0 8:126.1" ]
ok "two and two, which is assumed" [ "$(places switch) $(kind switch)" = "0 0 1 1 2 2 3 3 assumed" ]
matrix 8 NV12 - '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' >mixed.txt
ok "of one socket" eval 'import mixed.txt --rates-of p4d.24xlarge && [ "$(places switch)" = "0 1 0 1 2 3 2 3" ]'
matrix 8 NV12 - '0-47\t0\t\tN/A' '0-47\t0\t\tN/A' '0-47\t0\t\tN/A' '48-95\t1\t\tN/A' >odd.txt
ok "where no two and two fit the sockets, no rate is taken" eval 'import odd.txt --rates-of p4d.24xlarge && [ "$(json "d[\"pcie\"]")" = None ] && says "pcie.gbps"'
ok "a profile whose GPUs have uplinks of their own" eval 'import a100.txt --rates-of nd96asr-v4 && [ "$(places switch)" = "None None None None None None None None" ]'
if real servers/a100_nonic.txt; then
    ok "the report of an A100 server without NICs" eval 'import "$field/servers/a100_nonic.txt" --rates-of p4d.24xlarge && [ "$(aggregate 2)" = "1:31.5 2:31.5 4:63.0 8:126.1" ]'
    # gb200-tray: two GPUs share 450 GB/s each way to their Grace: 2 x 2 x 450 = 1,800
    ok "the report of a GB200 tray" eval 'import "$field/servers/gb200_numa_lists.txt" --rates-of gb200-tray && [ "$(aggregate 2)" = "1:900 2:900 4:1800" ]'
fi

# ---- a GPU that lost its links leaves the others at their switch
# seven B200 with 18 links of 50 GB/s: a port reads 900 GB/s, so four of them read 3,600, not 4 x 3 x 900 = 10,800
matrix 8 NV18 2 '0-55\t0\t\tN/A' >lost.txt
ok "a B200 server with a broken GPU" import lost.txt --rates-of hgx-b200-8
ok "its other GPUs read through their ports" [ "$(aggregate 3)" = "1:0 2:1800 4:3600 8:0" ]
ok "and the broken one is named" says "GPU 2 has no link, while all others have"
matrix 3 NV12 2 '0-55\t0\t\tN/A' >pair.txt
ok "a pair and a third card is no broken machine" eval 'import pair.txt && ! grep -q "no link" said'
ok "nor is a server without links" eval 'matrix 4 PHB - "0-55\t0\t\tN/A" >none.txt && import none.txt && ! grep -q "no link" said'
if real servers/b200_gpu2_lost.txt; then
    ok "the report of a B200 server that lost GPU 2" eval 'import "$field/servers/b200_gpu2_lost.txt" --rates-of hgx-b200-8 && [ "$(aggregate 3)" = "1:0 2:1800 4:3600 8:0" ] && says "GPU 2 has no link"'
fi

# ---- C2C is the way to the host, and its PCIe link is not
# bw is in MB/s: 43,125 x 8 = 345 GB/s; 2.5 GT/s x16 would be 4 GB/s
superchip() { # BRIDGE-OPEN BRIDGE-CLOSE C2C: two GPUs below one bridge, where there is one
    echo "<system version=\"1\"><cpu arch=\"arm64\" numaid=\"0\">$1"
    for i in 0 1; do
        echo "<pci busid=\"000$i:01:00.0\" class=\"0x030200\" link_speed=\"2.5 GT/s PCIe\" link_width=\"16\"><gpu dev=\"$i\" sm=\"121\" rank=\"$i\" gdr=\"0\">$3</gpu></pci>"
    done
    echo "$2</cpu></system>"
}
bridge='<pci busid="0000:00:00.0" class="0x060400" link_speed="2.5 GT/s PCIe" link_width="16">'
superchip '' '' '<c2c bw="43125" count="8"/>' >c2c.xml
ok "C2C" eval 'import c2c.xml && [ "$(json "d[\"pcie\"]")" = "{'"'generation': None, 'width': None, 'gbps': 345.0}"'" ]'
ok "its source" eval '"$HOTSET" server show S.json --explain | tr -s " \n" " " | grep -q "pcie measured NCCL topology XML: the host is reached over NVLink-C2C"'
ok "each GPU has its own, whatever bridge its PCIe link has" eval 'superchip "$bridge" "</pci>" "<c2c bw=\"43125\" count=\"8\"/>" >b.xml && import b.xml && [ "$(places switch)" = "0 1" ]'
ok "a rate that is none is not known, and PCIe is not taken for it" eval 'superchip "" "" "<c2c bw=\"-3\" count=\"8\"/>" >n.xml && import n.xml && [ "$(json "d[\"pcie\"]")" = None ]'
ok "without C2C it is PCIe" eval 'superchip "" "" "" >p.xml && import p.xml && [ "$(json "d[\"pcie\"][\"gbps\"]") $(kind pcie)" = "4.0 measured" ]'
if real servers/gb10_spark_nccl.xml; then
    ok "the report of a DGX Spark" eval 'import "$field/servers/gb10_spark_nccl.xml" && [ "$(json "d[\"pcie\"][\"gbps\"], d[\"pcie\"][\"generation\"]")" = "(345.0, None)" ]'
fi

# ---- the PCIe link of a virtual machine is not measured
guest() { # NUMAID TARGET [BRIDGE]: two H200 at 16 GT/s, where the hardware has 32
    echo "<system version=\"1\"><cpu numaid=\"$1\" arch=\"x86_64\">"
    for i in 5 6; do
        echo "${3:+<pci busid=\"0000:a$i:00.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">}<pci busid=\"0000:0$i:00.0\" class=\"0x030200\" vendor=\"0x10de\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"$((i - 5))\" sm=\"90\" rank=\"$((i - 5))\" gdr=\"1\"><nvlink target=\"$2\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>${3:+</pci>}"
    done
    echo "</cpu></system>"
}
guest -1 fffffff:ff:ff.0 >vm.xml
ok "a virtual machine" eval 'import vm.xml && [ "$(kind pcie)" = assumed ] && says "PCIe 4.0 x16 is assumed, not measured"'
ok "one that knows its NUMA node but not its links" eval 'guest 0 fffffff:ff:ff.0 >v2.xml && import v2.xml && [ "$(kind pcie)" = assumed ]'
ok "no virtual machine" eval 'guest 0 0000:c4:00.0 >hw.xml && import hw.xml && [ "$(kind pcie)" = measured ] && ! grep -q "virtual" said'
ok "switches above the GPUs are of the hardware, or of the file that its cloud gives" eval 'guest -1 fffffff:ff:ff.0 bridge >cloud.xml && import cloud.xml && [ "$(kind pcie)" = measured ]'
ok "--pcie knows better" eval 'import vm.xml --pcie 5x16 && [ "$(json "d[\"pcie\"][\"generation\"]")" = 5 ] && ! grep -q "virtual" said'
ok "so does --like" eval 'import vm.xml --like hgx-h200-8 && [ "$(json "d[\"pcie\"][\"generation\"], d[\"pcie\"][\"read\"][\"gbps\"]")" = "(5, 35.2)" ] && ! grep -q "virtual" said'
sed 's/16.0 GT/32.0 GT/' hw.xml >hw5.xml
ok "and a second source, on either side" eval 'import vm.xml hw5.xml && [ "$(json "d[\"pcie\"][\"generation\"]") $(kind pcie)" = "5 measured" ] && import hw5.xml vm.xml && [ "$(json "d[\"pcie\"][\"generation\"]") $(kind pcie)" = "5 measured" ]'
ok "two that both know still must agree" exits 3 "$HOTSET" server import hw.xml hw5.xml -o no.json
if real servers/h200_vm_nccl.xml; then
    ok "the report of eight H200 in a virtual machine" eval 'import "$field/servers/h200_vm_nccl.xml" && [ "$(kind pcie)" = assumed ] && says "assumed, not measured" && [ "$(json "d[\"cliques\"]")" = "[[0, 1, 2, 3, 4, 5, 6, 7]]" ]'
fi

# ---- rocm-smi states no number of links
rocm() { # TYPE-OF-0-2: four GPUs; 0-1 and 2-3 have the weight of one hop, and so has 0-2 if it is XGMI
    local one=40
    [ "$1" = PCIE ] || one=15
    printf '%s\n' '=== Weight between two GPUs ===' '       GPU0  GPU1  GPU2  GPU3' "GPU0   0     15    $one    40" 'GPU1   15    0     40    40' "GPU2   $one    40    0     15" 'GPU3   40    40    15    0' \
        '=== Link Type between two GPUs ===' '       GPU0  GPU1  GPU2  GPU3' "GPU0   0     XGMI  $1  PCIE" 'GPU1   XGMI  0     PCIE  PCIE' "GPU2   $1  PCIE  0     XGMI" 'GPU3   PCIE  PCIE  XGMI  0' '=== End ==='
}
rocm PCIE >rocm.txt
ok "AMD GPUs" eval 'import rocm.txt && [ "$(json "[(l[\"a\"], l[\"b\"], l[\"links\"]) for l in d[\"nvlinks\"]]")" = "[(0, 1, None), (2, 3, None)]" ]'
ok "the matrix has no number" eval 'grep -q "^GPU0 *X *NV? *\. *\.$" shown && grep -q "by how many links the source does not state" shown && ! grep -q "NV1" shown'
ok "their server is read again as it is" eval 'cp S.json R.json && "$HOTSET" server import R.json --force -o S.json >/dev/null && [ "$(json "[l[\"links\"] for l in d[\"nvlinks\"]]")" = "[None, None]" ]'
ok "and plans" eval '"$HOTSET" graph synth uniform --vertices 500 --edges 4000 --feature-dim 4 -o G --quiet >/dev/null && "$HOTSET" plan --graph G --server S.json --budget 1KiB --quiet -o P'
profile() { # LINKS LINKS: a profile of such a machine, 50 GB/s per link
    echo '{"schema": "server/1", "name": "mi", "gpus": [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}], "nvlinks": [{"a": 0, "b": 1, "links": '$1', "gbps": '$((50 * $1))'}, {"a": 2, "b": 3, "links": '$2', "gbps": '$((50 * $2))'}]}' >mi.json
}
profile 4 2
ok "a profile with the same pairs counts them" eval 'import rocm.txt --rates-of mi.json && [ "$(json "[(l[\"links\"], l[\"gbps\"]) for l in d[\"nvlinks\"]]") $(kind "nvlinks[].links")" = "[(4, 200.0), (2, 100.0)] assumed" ]'
ok "one with other pairs does not" eval 'rocm XGMI >more.txt && import more.txt --rates-of mi.json && [ "$(json "{(l[\"links\"], l.get(\"gbps\")) for l in d[\"nvlinks\"]}")" = "{(None, None)}" ]'
ok "a second source that counts" eval 'import rocm.txt mi.json && [ "$(json "[(l[\"links\"], l[\"gbps\"]) for l in d[\"nvlinks\"]]")" = "[(4, 200.0), (2, 100.0)]" ] && import mi.json rocm.txt && [ "$(json "[l[\"links\"] for l in d[\"nvlinks\"]]")" = "[4, 2]" ]'
ok "and one with other pairs is refused" exits 3 "$HOTSET" server import more.txt mi.json -o no.json
sed 's/"links": 4/"links": null/' mi.json >half.json
ok "a file states all numbers of links, or none" eval 'exits 3 "$HOTSET" server show half.json && grep -q "state it for all pairs, or null for all" .stderr'
if real servers/rocm_mi250_weights.txt; then
    ok "the report of four MI250: numbers are unknown" eval 'import "$field/servers/rocm_mi250_weights.txt" && [ "$(json "{l[\"links\"] for l in d[\"nvlinks\"]}, d[\"cliques\"]")" = "({None}, [[0, 1], [2, 3], [4, 5], [6, 7]])" ]'
    # inside an MI250X four links; 0-6 and 2-4 two; the others one (hwprofiles/servers/mi250x-4.json)
    ok "or the profile's" eval 'import "$field/servers/rocm_mi250_weights.txt" --rates-of mi250x-4 && [ "$(json "[l[\"links\"] for l in d[\"nvlinks\"]]")" = "[4, 1, 2, 1, 1, 4, 2, 1, 4, 1, 1, 4]" ]'
fi

# ---- a rate that is not known is no 0
matrix 2 NV4 - '0-7\t0\t\tN/A' >bridged.txt
ok "a bridge whose rate is not known: a dash" eval 'import bridged.txt --pcie 4x16 && [ "$(aggregate 3)" = "1:- 2:-" ]'
ok "no link is 0" eval 'matrix 2 PHB - "0-7\t0\t\tN/A" >unbridged.txt && import unbridged.txt --pcie 4x16 && [ "$(aggregate 3)" = "1:0 2:0" ]'
status() { # RATE RATE: nvidia-smi nvlink -s of two GPUs
    local g=0 r l
    for r; do
        echo "GPU $g: NVIDIA A100 (UUID: GPU-0)"
        for l in 0 1 2; do echo "         Link $l: $r"; done
        echo "         Link 3: <inactive>"
        g=$((g + 1))
    done
}
{ cat bridged.txt; status "25.781 GB/s" "25.781 GB/s"; } >rated.txt
# 4 x 25.781 = 103.124 GB/s each way; two GPUs, both read that: 206.248
ok "nvidia-smi nvlink -s states it" eval 'import rated.txt --pcie 4x16 && [ "$(json "d[\"nvlinks\"][0][\"gbps\"]") $(kind gbps) $(aggregate 3)" = "103.124 measured 1:0 2:206" ]'
ok "and is shown where PCIe is not known" eval 'import rated.txt && [ "$(aggregate 2) $(aggregate 3)" = "1:- 2:- 1:0 2:206" ]'
ok "two ends that differ do not" eval '{ cat bridged.txt; status "25.781 GB/s" "14.062 GB/s"; } >differ.txt && import differ.txt && [ "$(json "d[\"nvlinks\"][0].get(\"gbps\")")" = None ]'
if real servers/h100nvl_pair_plus_one_nvlink_s.txt; then
    # 12 x 26.562 = 318.744 GB/s each way, 637.5 of both GPUs
    ok "the report of a pair of H100 NVL and a third" eval 'import "$field/servers/h100nvl_pair_plus_one_nvlink_s.txt" --pcie 5x16 && [ "$(json "d[\"nvlinks\"][0][\"gbps\"]") $(aggregate 3)" = "318.744 1:0 2:637 3:0" ]'
    for f in quoted_h20.md mi350_rccl.xml; do ok "the report $f has no rate" eval 'import "$field/servers/$f" --pcie 5x16 && [ "$(aggregate 3)" = "1:- 2:- 4:- 8:-" ]'; done
fi

# ---- NUMA nodes: two groups are sockets, and what is not understood is said
matrix 4 NV18 - '0-71\t0,3-9,11-17\t\t2' '0-71\t0,3-9,11-17\t\t10' '72-143\t1,19-25,27-33\t\t18' >lists.txt
ok "lists of NUMA nodes" eval 'import lists.txt && [ "$(places socket) $(kind socket)" = "0 0 1 1 measured" ]'
tr '\t' ' ' <lists.txt >blanks.txt
ok "between blanks, too" eval 'import blanks.txt && [ "$(places socket)" = "0 0 1 1" ]'
ok "a number glued to what follows" eval 'matrix 4 NV8 - "0-27  0N/A" "0-27  0N/A" "28-55 1N/A" >glued.txt && import glued.txt && [ "$(places socket)" = "0 0 1 1" ] && ! grep -q socket said'
unknown_sockets() { matrix 4 NV8 - "${@:2}" >u.txt && import u.txt && [ "$(places socket)" = "None None None None" ] && says "$1, so sockets stay unknown"; }
ok "more than two nodes may be parts of sockets" unknown_sockets "the GPUs are on 4 NUMA nodes, which may be parts of sockets" '0-27\t0\t\tN/A' '28-55\t1\t\tN/A' '56-83\t2\t\tN/A' '84-111\t3\t\tN/A'
ok "lists that overlap" unknown_sockets "lists of NUMA nodes overlap" '0-27\t0-1\t\tN/A' '28-55\t1\t\tN/A'
ok "a cell that is no list" unknown_sockets "a cell of NUMA Affinity is not understood" '0-27\t0;1\t\tN/A' '28-55\t1\t\tN/A'
ok "a node for some GPUs only" unknown_sockets "not every GPU has a NUMA node" '0-27\tN/A\t\tN/A' '28-55\t1\t\tN/A'
for row in '0-27\t0\t\tN/A' '0-27\tN/A\t\tN/A' '0-27' '\t\t\tN/A'; do
    ok "where none are told apart, there is nothing to say: $row" eval 'matrix 4 NV8 - "$row" >one.txt && import one.txt && [ "$(places socket)" = "None None None None" ] && ! grep -q "sockets stay" said'
done
{ cat rocm.txt; for i in 0 1 2 3; do echo "GPU[$i] : (Topology) Numa Node: $i"; done; } >rocm4.txt
ok "the same of rocm-smi" eval 'import rocm4.txt && [ "$(places socket)" = "None None None None" ] && says "NUMA nodes above 1 may be parts of sockets, so sockets stay unknown"'
if real servers/gb200_numa_lists.txt; then
    ok "the reports of a GB200 tray and of H800" eval 'import "$field/servers/gb200_numa_lists.txt" && [ "$(places socket)" = "0 0 1 1" ] && import "$field/servers/h800_glued_numa.txt" && [ "$(places socket)" = "0 0 1 1" ]'
    ok "the report of B200 on four NUMA nodes" eval 'import "$field/servers/b200_glued_cpu_header.txt" && says "the GPUs are on 4 NUMA nodes"'
fi

# ---- counters that contradict themselves
capture() { "$HOTSET" trace import "$1" -o C --force >shown 2>said; }
read_lines() { python3 -c 'import json; print(json.load(open("C/counters.json"))["transactions"])'; }
printf 'Skt,PCIRdCur,ItoM\n0,0,12(Total)\n0,1,12(Miss)\n0,18446744073709551615,0(Hit)\n1,5000,9(Total)\n1,4000,9(Miss)\n1,1000,0(Hit)\n' >wrapped.csv
ok "a counter that wrapped, of those that are not summed" eval 'capture wrapped.csv && [ "$(read_lines)" = 5000 ] && says "warning: wrapped.csv: line 4 has a counter of 2^64 less a few"'
ok "one that is summed is refused" eval '! capture <(sed "s/^0,0,/0,18446744073709551610,/" wrapped.csv) && says "line 2: has a counter of 2^64 less a few, a difference below zero"'
ok "whole ones say nothing" eval 'sed "s/18446744073709551615/1/" wrapped.csv >good.csv && capture good.csv && ! grep -q warning said'
# 140,000 x 64 = 8,960,000 bytes (8.54 MiB) beside 23,585,152,000 (21.97 GiB)
printf 'Skt,PCIRdCur,ItoM,PCIe Rd (B),PCIe Wr (B)\n0,0,0,23552000000,0\n1,140000,31000000,33152000,1984960000\n' >bytes.csv
ok "bytes that are not those of the lines" eval 'capture bytes.csv && [ "$(read_lines)" = 140000 ] && says "PCIRdCur has 140,000 reads of 64 bytes (8.54 MiB), but .PCIe Rd (B). states 21.97 GiB"'
printf 'Skt,PCIRdCur,PCIe Rd (B)\n0,1000000,64000000\n1,3000000,192000000\n' >same.csv
ok "bytes that are" eval 'capture same.csv && ! grep -q warning said'
if real counters/pcm_bdx_wrapped_e.csv; then
    ok "the reports of counters" eval 'capture "$field/counters/pcm_bdx_wrapped_e.csv" && says "line 4 has a counter" && capture "$field/counters/pcm_bdx_zero_rdcur.csv" && says "states 21.97 GiB" && capture "$field/counters/pcm_gnr_B.csv" && ! grep -q warning said'
fi

# ---- what is said
hosts() { # two hosts with two sockets each, a GPU below every one
    echo '<system version="1">'
    for h in 1 2; do
        for n in 0 1; do
            echo "<cpu host_hash=\"0x$h\" numaid=\"$n\" arch=\"arm64\"><pci busid=\"000$n:01:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"$n\" sm=\"100\" rank=\"$n\" gdr=\"1\"><nvlink target=\"0000:c4:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci></cpu>"
        done
    done
    echo '</system>'
}
ok "sockets of several hosts are counted on" eval 'hosts >hosts.xml && import hosts.xml && [ "$(places socket)" = "0 1 2 3" ] && [ "$(json "[n[\"id\"] for n in d[\"numa\"]]")" = "[0, 1, 2, 3]" ]'
refuses() { exits 3 "$HOTSET" server import "$1" -o no.json && tr '\n' ' ' <.stderr | grep -q -- "$2" || { cat .stderr; return 1; }; }
printf '==== ROCm System Management Interface ====\n==== Numa Nodes ====\nGPU[0] : (Topology) Numa Node: 0\nGPU[1] : (Topology) Numa Node: 0\n' >numa.txt
ok "another table of rocm-smi" refuses numa.txt "save the whole output of: rocm-smi --showtopo"
ok "which is not told to run another vendor's tool" eval '! grep -q nvidia-smi .stderr'
ok "a text of neither" eval 'echo no topology here >neither.txt && refuses neither.txt "AMD: rocm-smi --showtopo"'
sed 's|<gpu dev="0"[^>]*>|<gpu dev="8" sm="100" rank="8" mlopart="1"/>&|' hosts.xml >parts.xml
ok "partitions of a GPU" refuses parts.xml "turn partitions off and let NCCL write it again"
{ echo "76 NICs found in the topology, only displaying 56 in the matrix."; cat a100.txt; } >nics.txt
ok "NICs that the matrix leaves out" eval 'import nics.txt && says "20 NICs of the machine are not in its matrix"'
matrix 2 PHB - '0-31\t0\t\tN/A' >two.txt
ok "GPUs of two sizes" eval 'import two.txt --gpu-memory 32GiB,24GiB && [ "$(places memory_bytes)" = "34359738368 25769803776" ]'
ok "one size for all" eval 'import two.txt --gpu-memory 24GiB && [ "$(places memory_bytes)" = "25769803776 25769803776" ]'
ok "one for each" eval 'exits 2 "$HOTSET" server import two.txt --gpu-memory 32GiB,24GiB,24GiB -o no.json && grep -q "has 3 sizes, but the server has 2 GPUs" .stderr'
ok "and each a size" exits 2 "$HOTSET" server import two.txt --gpu-memory 32GiB,much -o no.json
# a machine that is not there yet
ok "more GPUs than a profile has, and its host" eval 'import 2x4090 --gpus 4 --host-memory 256GiB --host-memory-gbps 89.6 --name mine && [ "$(json "[g[\"id\"] for g in d[\"gpus\"]], len(d[\"cliques\"]), d[\"host_memory_bytes\"] >> 30, d[\"host_memory_gbps\"], d[\"name\"]")" = "([0, 1, 2, 3], 4, 256, 89.6, '"'mine'"')" ]'
ok "epoch times are known then" eval '! grep -q "does not answer: epoch times" said'
ok "and it says who stated them" [ "$(json '[p["what"] for p in d["provenance"] if "--" in p["source"] and "hotset" not in p["source"]]')" = "['gpus', 'host_memory_bytes', 'host_memory_gbps']" ]
ok "without them the options are named" eval 'import 2x4090 --gpus 3 && says "epoch times.*host_memory_gbps.*--host-memory-gbps state" && [ "$(json "d[\"name\"]")" = 2x4090:3 ]'
ok "the first GPUs" eval 'import dgx-v100 --gpus 4 && [ "$(json "len(d[\"gpus\"]), len(d[\"cliques\"])")" = "(4, 1)" ]'
ok "links leave open what a ninth GPU has" eval 'exits 2 "$HOTSET" server import dgx-v100 --gpus 9 -o no.json && grep -q "dgx-v100 has 8 GPUs, and more can follow only where all are alike, without NVLink" .stderr'
ok "no more than there can be" exits 2 "$HOTSET" server import 2x4090 --gpus 100000 -o no.json
ok "GPUs on two sockets" eval 'import 2x4090 --gpus 4 --sockets 2 && [ "$(json "[g[\"socket\"] for g in d[\"gpus\"]], d[\"sockets\"]")" = "([0, 0, 1, 1], 2)" ] && "$HOTSET" server show S.json >shown && grep -q "4 GPUs, 2 sockets" shown && grep -q "^assumed.* sockets of GPUs" shown'
ok "what options state is not said to be assumed" eval 'import 2x4090 --gpus 4 --host-memory 256GiB && "$HOTSET" server show S.json >shown && tr "\n" " " <shown | grep -q "assumed .*number of sockets" && ! tr "\n" " " <shown | grep -qE "number of GPUs|, host memory"'
ok "words of others name the command" eval 'exits 2 "$HOTSET" server new && grep -q "did you mean .import" .stderr && exits 2 "$HOTSET" graph describe && grep -q "did you mean .info" .stderr'
ok "not more sockets than GPUs, nor one PCIe switch on two" eval 'exits 2 "$HOTSET" server import 2x4090 --sockets 3 -o no.json && exits 2 "$HOTSET" server import dgx-v100 --sockets 3 -o no.json && grep -q "share a PCIe switch" .stderr'
ok "a part that is too large names the way" eval 'exits 3 "$HOTSET" server show 2x4090:4 && grep -q "server import NAME --gpus N" .stderr'
ok "what a source states stays" eval 'import dgx-v100 --host-memory-gbps 1 && says "--host-memory-gbps is not used"'
if real servers/h100_56nics.txt; then
    ok "the reports" eval 'import "$field/servers/h100_56nics.txt" && says "20 NICs" && refuses "$field/servers/rocm_showtoponuma_only.txt" "rocm-smi --showtopo" && import "$field/servers/mixed_5090_3090ti.txt" --gpu-memory 32GiB,24GiB'
fi

# ---- profiles: memory as the driver shows it, NICs, the host's side of PCIe
shipped() { "$HOTSET" server show $1 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$2"; }
ok "an A10G has 23,028 MiB" [ "$(shipped g5.48xlarge 'd["gpus"][0]["memory_bytes"] >> 20')" = 23028 ]
ok "an H100 has 81,559 MiB" [ "$(shipped dgx-h100 'd["gpus"][0]["memory_bytes"] >> 20')" = 81559 ]
# eight of 400 Gb/s: 50 GB/s each
ok "a DGX B200 has eight NICs" [ "$(shipped dgx-b200 '[n["gbps"] for n in d["nics"]]')" = "[50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0]" ]
# PCIe 4.0 x16: 16 x 1.969 GB/s
ok "a p5.48xlarge reads its host over PCIe 4.0, a p5en.48xlarge over 5.0" [ "$(shipped p5.48xlarge 'd["pcie"]["gbps"]') $(shipped p5en.48xlarge 'd["pcie"]["gbps"]')" = "31.504 63.008" ]
ok "what people have in November 2026" eval 'for p in hgx-h20-8 hgx-h800-8 hgx-b300-8 gb300-tray mi325x-8 mi355x-8 rtx-pro-6000-8 2x5090 dgx-spark hgx-a100-8 p5en.48xlarge; do "$HOTSET" list servers | grep -q "^$p " || echo $p; done >missing; [ ! -s missing ]'
# eight links of 25 GB/s: a port reads 200 GB/s, eight of them 1,600
ok "an H800 has eight links" eval '"$HOTSET" server show hgx-h800-8 --explain >shown && [ "$(aggregate 3)" = "1:0 2:400 4:800 8:1600" ]'
# hwloc sees the PCIe link of a superchip, which only configures it; a card of an older kind keeps its own
sed 's|Tesla P100-SXM2-16GB|NVIDIA GH200 480GB|' "$root/tests/data/power8gpudistances.xml" >superchip.xml
pcie() { "$HOTSET" server import "$1" -o x.json --force 2>said >/dev/null && python3 -c 'import json; print((json.load(open("x.json")).get("pcie") or {}).get("gbps"))'; }
ok "hwloc: C2C is not PCIe" eval '[ "$(pcie superchip.xml)" = None ] && grep -q "NVIDIA GH200 480GB reaches its CPU over NVLink-C2C" said'
ok "and others have their link" eval '[ "$(pcie "$root/tests/data/power8gpudistances.xml")" != None ] && ! grep -q C2C said'
finish
