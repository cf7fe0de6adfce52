#!/usr/bin/env bash
# deb.sh ROOT VERSION OUT - makes a Debian package of what `make install PREFIX=/usr` put below ROOT. Called by make deb. Needs dpkg-deb.
#
# Dependencies are read from the files: for each library that an ELF file needs, the package that owns it here, with the version that Debian's table of the
# package states (/var/lib/dpkg/info/PACKAGE.shlibs), or else the version that is installed.
set -eu -o pipefail
root=$1 version=$2 out=$3
for tool in dpkg-deb dpkg readelf strip gzip; do
    command -v "$tool" >/dev/null || { echo "deb.sh: $tool is not installed; make deb needs Debian or Ubuntu (apt-get install dpkg binutils gzip)" >&2; exit 1; }
done
arch=$(dpkg --print-architecture)

# Python's folder, and compressed manuals, as Debian has them
mkdir -p "$root/usr/lib/python3/dist-packages" "$root/usr/share/doc/hotset" "$root/DEBIAN"
mv "$root/usr/share/hotset/hotset" "$root/usr/lib/python3/dist-packages/hotset"
gzip -9nf "$root"/usr/share/man/man1/*.1
cp LICENSE "$root/usr/share/doc/hotset/copyright"

needed() { find "$root/usr" -type f \( -path '*/bin/*' -o -name '*.so.*' \) -exec readelf -d {} + | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u; }
dependency() { # soname -> "package (>= version)"
    local name=${1%%.so*} number=${1##*.so.} path package line
    path=$(PATH=$PATH:/sbin ldconfig -p | awk -v s="$1" '$1 == s && /(x86-64|AArch64)/ { print $NF; exit }')
    package=$(dpkg -S "$path" "$(realpath "$path")" "/usr$(realpath "$path")" 2>/dev/null | head -n 1 | cut -d: -f1)
    [ -n "$package" ] || { echo "deb.sh: no package owns $1, which the program needs" >&2; return 1; }
    line=$(cat "/var/lib/dpkg/info/$package.shlibs" "/var/lib/dpkg/info/$package:$arch.shlibs" 2>/dev/null |
        awk -v n="$name" -v v="$number" '$1 == n && $2 == v { $1 = $2 = ""; sub(/^ */, ""); print; exit }') || true
    # shellcheck disable=SC2016 # dpkg-query's own variables
    echo "${line:-$package (>= $(dpkg-query -W -f '${Version}\n' "$package:$arch" | sed 's/^\([^-]*\)-.*/\1/'))}"
}
depends=$(for soname in $(needed); do case $soname in libhotset* | ld-linux*) ;; *) dependency "$soname" ;; esac; done | sort -u | paste -sd, | sed 's/,/, /g')
[ -n "$depends" ]

size=$(du -sk --apparent-size "$root/usr" | cut -f1)
cat >"$root/DEBIAN/control" <<END
Package: hotset
Version: $version
Architecture: $arch
Maintainer: hotset developers <hotset@localhost>
Installed-Size: $size
Depends: $depends
Recommends: python3-numpy, gnuplot-nox
Section: science
Priority: optional
Description: cache planner for multi-GPU training of graph neural networks
 hotset decides which neighbour lists and feature rows each GPU of a server
 holds, predicts the PCIe reads that remain, and compares published caching
 strategies. With libhotset and a Python module for training runtimes.
END
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k2) >"$root/DEBIAN/md5sums"
chmod -R u+rwX,go+rX,go-w "$root"
find "$root/usr/lib" -name '*.so.*' -type f -exec chmod 644 {} + -exec strip --strip-unneeded {} +
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800} dpkg-deb --root-owner-group -Zxz --build "$root" "$out/hotset_${version}_$arch.deb" >/dev/null
rm -rf "$root"
echo "$out/hotset_${version}_$arch.deb"
