#!/usr/bin/env bash
# Makes build/muster-VERSION-linux-ARCH.tar.gz and build/muster_VERSION_ARCH.deb from build/muster. Called by ./dev package.
set -euo pipefail
build="$1"
version="$("$build/muster" version | cut -d' ' -f2)"
arch="$(dpkg --print-architecture)"
stage="$(mktemp -d "$build/package.XXXXXX")"
trap 'rm -rf "$stage"' EXIT

install_tree() {  # ROOT
  install -D -m 0755 "$build/muster" "$1/usr/bin/muster"
  strip --strip-unneeded "$1/usr/bin/muster"
  install -D -m 0644 packaging/muster.service "$1/lib/systemd/system/muster.service"
  install -D -m 0640 packaging/muster.toml "$1/etc/muster/muster.toml"
  install -d "$1/usr/share/doc/muster"
  install -m 0644 README.md CHANGELOG.md LICENSE docs/operations.md docs/cluster.md docs/limits.md docs/protocol-http.md \
    "$1/usr/share/doc/muster/"
  install -m 0644 packaging/systemd/*.service "$1/lib/systemd/system/"
  install -D -m 0644 packaging/systemd/cluster.toml "$1/usr/share/doc/muster/examples/cluster.toml"
  local shell
  for shell in bash zsh fish; do
    "$build/muster" completion "$shell" >"$stage/completion" || continue
    case "$shell" in
      bash) install -D -m 0644 "$stage/completion" "$1/usr/share/bash-completion/completions/muster" ;;
      zsh) install -D -m 0644 "$stage/completion" "$1/usr/share/zsh/vendor-completions/_muster" ;;
      fish) install -D -m 0644 "$stage/completion" "$1/usr/share/fish/vendor_completions.d/muster.fish" ;;
    esac
  done
}

# The libraries the program is linked with, as packages with their versions.
dependencies() {
  mkdir -p "$stage/shlibs/debian"
  printf 'Source: muster\n\nPackage: muster\nArchitecture: any\n' >"$stage/shlibs/debian/control"
  (cd "$stage/shlibs" && dpkg-shlibdeps -O -e"$stage/deb/usr/bin/muster" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

mkdir "$stage/deb"
chmod 0755 "$stage/deb"
install_tree "$stage/deb"
mkdir "$stage/deb/DEBIAN"
cat >"$stage/deb/DEBIAN/control" <<CONTROL
Package: muster
Version: $version
Architecture: $arch
Maintainer: Muster contributors <muster@muster.invalid>
Section: net
Priority: optional
Depends: $(dependencies), passwd
Description: one control plane for every worker
 Registers workers, knows what each can do, hands each job to a worker that can do it,
 notices when a worker is gone, and gets its work done anyway.
CONTROL
printf '/etc/muster/muster.toml\n' >"$stage/deb/DEBIAN/conffiles"
install -m 0755 packaging/debian/postinst packaging/debian/prerm "$stage/deb/DEBIAN/"
fakeroot dpkg-deb --build "$stage/deb" "$build/muster_${version}_${arch}.deb" >/dev/null

name="muster-$version-linux-$arch"
mkdir -p "$stage/$name/doc"
install -m 0755 "$stage/deb/usr/bin/muster" "$stage/$name/muster"
install -m 0644 packaging/muster.service packaging/muster.toml LICENSE README.md "$stage/$name/"
install -m 0644 docs/*.md CHANGELOG.md "$stage/$name/doc/"
tar -C "$stage" --sort=name --owner=0 --group=0 -czf "$build/$name.tar.gz" "$name"

printf '%s\n' "$build/$name.tar.gz" "$build/muster_${version}_${arch}.deb"
