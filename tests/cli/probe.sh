#!/usr/bin/env bash
# server probe, on made-up machines: a library that answers like the driver's (tests/fake/nvml.c) and a folder that looks like /sys.
. "$(dirname "$0")/tap"

ok "without a driver: exit code 4" exits 4 "$HOTSET" server probe --library "$work/nothing.so" --force -o S.json
ok "and a sentence that says what to do" eval '"$HOTSET" server probe --library "$work/nothing.so" --force -o S.json 2>&1 | grep -q "nvidia-smi topo -m"'
ok "no file" test ! -e S.json
if ! command -v "${CC:-cc}" >/dev/null; then
    skip "made-up machines" "there is no compiler"
    finish
fi
ok "the stand-in compiles" ${CC:-cc} -shared -fPIC -o fake.so "$root/tests/fake/nvml.c"
probe() { FAKE_NVML=$work/machine "$HOTSET" server probe --library "$work/fake.so" --sysfs "$work/sys" --name here --force -o S.json "$@"; }
say() { "$HOTSET" server show S.json --json | tr -d ' \n'; }
# place BUS NUMA PATH..: a GPU below those bridges
place() {
    local bus=$1 node=$2 at=sys/devices/pci0000:00
    shift 2
    for p in "$@" "0000:$bus:00.0"; do at=$at/$p; done
    mkdir -p "$at" sys/bus/pci/devices
    echo "$node" >"$at/numa_node"
    ln -sfn "$work/$at" "sys/bus/pci/devices/0000:$bus:00.0"
}

echo broken >machine
ok "a driver that does not answer: exit code 4" exits 4 probe
ok "with its reason" eval 'probe 2>&1 | grep -q "a made-up reason"'
: >machine
ok "no GPU: exit code 4" exits 4 probe

# Four GPUs in a ring of NVLinks (2 and 1), two switches, two sockets.
{
    for b in 1b 1c 8a 8b; do echo "gpu 0 $b 0 4 16 42949672960 NVIDIA A100-SXM4-40GB"; done
    echo "link 0 0 3 gpu 1"; echo "link 0 1 3 gpu 1"; echo "link 1 0 3 gpu 0"; echo "link 1 5 3 gpu 0"
    echo "link 1 1 3 gpu 2"; echo "link 2 0 3 gpu 1"; echo "link 2 1 3 gpu 3"; echo "link 3 0 3 gpu 2"
    echo "link 3 1 3 gpu 0"; echo "link 0 2 3 gpu 3"; echo "link 3 7 3 down"
} >machine
place 1b 0 0000:16:02.0 0000:17:00.0 0000:18:04.0
place 1c 0 0000:16:02.0 0000:17:00.0 0000:18:08.0
place 8a 1 0000:85:02.0
place 8b 1 0000:86:02.0
ok "a ring of four" probe --quiet
ok "two cliques of two" eval 'say | grep -q "\"cliques\":\[\[0,1\],\[2,3\]\]"'
ok "two links between 0 and 1, 50 GB/s" eval 'say | grep -q "{\"a\":0,\"b\":1,\"links\":2,\"gbps\":50"'
ok "one link between 0 and 3" eval 'say | grep -q "{\"a\":0,\"b\":3,\"links\":1,\"gbps\":25"'
ok "memory and model" eval 'say | grep -q "\"id\":3,\"model\":\"NVIDIAA100-SXM4-40GB\",\"memory_bytes\":42949672960"'
ok "0 and 1 share a switch on socket 0" test "$(say | grep -o '"switch":0,"socket":0' | wc -l)" = 2
ok "2 and 3 have root ports of their own on socket 1" eval 'say | grep -q "\"switch\":1,\"socket\":1" && say | grep -q "\"switch\":2,\"socket\":1"'
ok "PCIe 4.0 x16" eval 'say | grep -q "\"generation\":4,\"width\":16"'
ok "a plan can be made for it" eval 'printf "0 1\n1 2\n2 3\n3 0\n" >e.txt && "$HOTSET" graph import e.txt --train-share 1 -o G --quiet >/dev/null && "$HOTSET" plan --graph G --server S.json --budget 1000 -o P --quiet'

# Bandwidths: copies of the stand-in take 8 GB/s over each of the two host links (1b, 1c share one; 8a, 8b the other), 100 in a GPU, 10 between two.
# A busy machine only makes them slower, so what is checked is an upper limit, and a lower one that is far below.
ok "the other stand-in compiles" ${CC:-cc} -shared -fPIC -pthread -o fake_cuda.so "$root/tests/fake/cuda.c"
ok "without CUDA, --measure is exit code 4" exits 4 probe --measure --cuda "$work/nothing.so"
ok "measured" probe --quiet --measure --cuda "$work/fake_cuda.so" --copy 400MB
ok "a GPU's memory reads and writes 100 GB/s" eval 'g=$(say | grep -o "\"memory_gbps\":[0-9.]*" | head -n 1 | cut -d: -f2); awk "BEGIN { exit !($g > 20 && $g <= 100) }"'
ok "two GPUs share 8 GB/s; alone, one gets them" eval 'g=$(say | grep -o "\"width\":16,\"gbps\":[0-9.]*" | cut -d: -f3); awk "BEGIN { exit !($g > 1.6 && $g <= 8) }"'
ok "a pair of GPUs has 10 GB/s" eval 'g=$(say | grep -o "\"a\":0,\"b\":1,\"links\":2,\"gbps\":[0-9.]*" | cut -d: -f5); awk "BEGIN { exit !($g > 2 && $g <= 10) }"'
ok "and the document says so" eval 'say | grep -q "serverprobe--measure"'
ok "a copy that fails is exit code 4, with its reason" eval 'FAKE_CUDA=fail probe --measure --cuda "$work/fake_cuda.so" --copy 1MB 2>err; [ $? = 4 ] && grep -q "a made-up failure" err'

# Eight GPUs whose links end at NVSwitches; nothing in sysfs.
rm -rf sys
for i in 0 1 2 3 4 5 6 7; do
    echo "gpu 0 $i 0 5 16 85899345920 NVIDIA H100"
    for l in 0 1 2 3; do echo "link $i $l 6 switch"; done
done >machine
ok "eight GPUs behind switches" probe --quiet
ok "are one clique" eval 'say | grep -q "\"cliques\":\[\[0,1,2,3,4,5,6,7\]\]"'
ok "with four links each, 100 GB/s" eval 'say | grep -q "{\"a\":0,\"b\":7,\"links\":4,\"gbps\":100"'
ok "places are unknown" eval 'say | grep -q "\"switch\":null,\"socket\":null"'

# NVML numbers the generations in a way of its own: 5 is NVLink 3.1 (an A100), 6 is 4.0, 7 is 5.0.
for case in 5:25 6:25 7:50; do
    printf 'gpu 0 1 0 4 16 1 GPU\ngpu 0 2 0 4 16 1 GPU\nlink 0 0 %s gpu 1\nlink 1 0 %s gpu 0\n' "${case%:*}" "${case%:*}" >machine
    ok "a link of NVML's version ${case%:*}" probe --quiet
    ok "carries ${case#*:} GB/s" eval 'say | grep -q "{\"a\":0,\"b\":1,\"links\":1,\"gbps\":'"${case#*:}"'[.}]"'
done
sed -i 's/ 7 gpu/ 99 gpu/' machine
ok "a generation that is not known" probe --quiet
ok "has links without a rate" eval 'say | grep -q "{\"a\":0,\"b\":1,\"links\":1}"'

# Two cards without NVLink: no links is known, not unknown.
printf 'gpu 0 1 0 3 16 11811160064 GeForce\ngpu 0 2 0 3 16 0 GeForce\n' >machine
ok "two cards without NVLink" probe --quiet
ok "have no links" eval 'say | grep -q "\"nvlinks\":\[\]" && say | grep -q "\"cliques\":\[\[0\],\[1\]\]"'
ok "memory that is not told is unknown" eval 'say | grep -q "\"memory_bytes\":null"'
echo "gpu 0 1b 0 5 16 98304000000 NVIDIA GH200 480GB" >machine
ok "a superchip" probe --quiet
ok "has no PCIe rate, which is that of its configuration" eval '! say | grep -q "\"generation\":5"'
finish
