#!/usr/bin/env bash
# make install and uninstall, and the targets of make help.
. "$(dirname "$0")/tap"

cd "$root" || exit 2
mk() { flock "$root/Makefile" make --no-print-directory -s BUILD="${BUILD:-build}" "$@"; } # one make at a time: another script installs, too
ok "make install" mk install DESTDIR="$work/d" PREFIX=/opt/x
ok "the binary runs" "$work/d/opt/x/bin/hotset" --version
ok "the man page is there" grep -q '^\.TH HOTSET' "$work/d/opt/x/share/man/man1/hotset.1"
ok "the completion is there" grep -q 'complete .*hotset' "$work/d/opt/x/share/bash-completion/completions/hotset"
for f in include/hotset.h include/hotset_cuda.h include/hotset_store.h include/hotset_sampler.h lib/libhotset.so lib/libhotset.so.2 lib/libhotset.a lib/pkgconfig/hotset.pc share/hotset/hotset/__init__.py share/hotset/schemas/server-1.json share/hotset/schemas/plan-2.json share/hotset/schemas/size-1.json share/hotset/schemas/results-1.json share/hotset/hotset_cuda.cu share/hotset/hotset_store.cu share/hotset/hotset_device.cuh; do [ -s "$work/d/opt/x/$f" ] || echo "$f"; done | none "the library, its header, hotset.pc and the Python package are there"
find "$work/d" ! -type d | grep -vE '/(bin/hotset|man1/hotset(-[a-z-]+)?\.1|man7/hotset-[a-z-]+\.7|completions/hotset|site-functions/_hotset|vendor_completions\.d/hotset\.fish|include/hotset(_cuda|_store|_sampler)?\.h|lib/libhotset(_cuda)?\.(a|so(\.2(\.[0-9]+\.[0-9]+)?)?)|pkgconfig/hotset\.pc|share/hotset/schemas/[a-z-]+-[12]\.json|share/doc/hotset/[A-Za-z0-9_-]+\.(html|js|css|svg)|share/hotset/validation/[a-z0-9-]+\.json|share/hotset/hotset(/(examples/)?[a-z_]+\.py|/py\.typed|_(cuda|store)\.cu|_device\.cuh))$' | none "nothing else"
if command -v man >/dev/null; then ok "man finds it" eval 'MANPATH=$work/d/opt/x/share/man man -w hotset'; else skip "man finds it" "man is not installed"; fi
ok "make uninstall" mk uninstall DESTDIR="$work/d" PREFIX=/opt/x
find "$work/d" ! -type d | none "nothing is left"
ok "make help lists the targets" eval 'for t in all test check lint asan tsan fuzz equiv cover install lib; do mk help | grep -qE "^$t( |\$)" || { echo "$t"; false; }; done'
if command -v objcopy >/dev/null && command -v strings >/dev/null; then
    objcopy --strip-debug "$HOTSET" "$work/bare" && strings -a "$work/bare" | grep -F "$root" | head -n 3 | none "the binary names no folder of the build machine"
else
    skip "the binary names no folder of the build machine" "objcopy is not installed"
fi
finish
