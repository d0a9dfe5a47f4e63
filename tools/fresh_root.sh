# Sourced by tools/test_packages and tools/test_fresh: a fresh Debian 12 in $base, made by debootstrap from MIRROR (by default
# deb.debian.org), and commands in it. Needs root. PRISTINE=FOLDER keeps a copy there for the next one that asks.
#
#   make_root [ROOT]      $base is ROOT, which is kept and used again if it is there, or a folder that goes at the end
#   inside COMMAND ...    as root, with /proc and an environment of its own; nothing stays mounted
#   inside_as USER COMMAND ...
#   cached USER COMMAND   as inside_as, in /srv/dalembert, with a cache of the compiler's work: CCACHE_DIR of the caller or one that goes with $base
#   step WORDS            what is being done, for the message of a failure
mirror=${MIRROR:-http://deb.debian.org/debian}
program=$(basename "$0")
[ "$(id -u)" = 0 ] || { echo "$program: a system is made as root" >&2; exit 1; }
doing='making a system'

finish() {
    [ $? -eq 0 ] || echo "$program: failed at: $doing" >&2
    [ -n "${kept:-}" ] || rm -rf --one-file-system "$base" "$base.log"
}

make_root() {
    kept=${1:-}
    base=${1:-$(mktemp -d)}
    trap finish EXIT
    [ ! -e "$base/etc/debian_version" ] || return 0
    if [ -e "${PRISTINE:-/nowhere}/etc/debian_version" ]; then
        cp -a "$PRISTINE/." "$base"
        return
    fi
    debootstrap --variant=minbase bookworm "$base" "$mirror" >"$base.log" 2>&1 || { tail -5 "$base.log"; exit 1; }
    chmod 755 "$base" # mktemp made it for root alone
    [ -z "${PRISTINE:-}" ] || cp -a "$base/." "$PRISTINE"
}

step() { doing=$1; printf -- '-- %s\n' "$1"; }

inside_as() {
    local user=$1 home=/root
    shift
    [ "$user" = root ] || home=/home/$user
    mkdir -pm 1777 "$base/var/tmp/ccache"
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && { [ -z "${CCACHE_DIR:-}" ] || mount --bind "$CCACHE_DIR" "$0/var/tmp/ccache"; } &&
        exec chroot "$0" "$@"' "$base" \
        setpriv --reuid "$user" --regid "$user" --init-groups \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME="$home" DEBIAN_FRONTEND=noninteractive "$@"
}

inside() { inside_as root "$@"; }

cached() {
    local user=$1
    shift
    inside_as "$user" env CCACHE_DIR=/var/tmp/ccache CCACHE_UMASK=000 CCACHE_BASEDIR=/srv/dalembert CCACHE_NOHASHDIR=1 \
        CCACHE_COMPILERCHECK=content CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache \
        sh -c "cd /srv/dalembert && $1"
}
