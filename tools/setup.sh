# Functions that install groups of packages. Sourced by ./run, ./test and .ci/run.
# Must not change installed packages. On unknown systems it installs nothing and prints a list.

packages_file="${BASH_SOURCE[0]%/*}/packages.txt"

# packages_of COLUMN GROUP… : prints a column of the list: 2 Debian, 3 Fedora, 4 Arch, 5 a command,
# header or module by which other systems recognize the package.
packages_of() {
  local column=$1
  shift
  awk -v column="$column" -v groups=" $* " \
    '!/^#/ && NF && index(groups, " " $1 " ") { print $column }' \
    "$packages_file"
}

# Prints the Debian packages of the groups that are not installed.
missing_debian() {
  local package
  for package in $(packages_of 2 "$@"); do
    # npm is often installed from nodejs.org instead of Debian; both work.
    [ "$package" = npm ] && command -v npm >/dev/null && continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# Succeeds if the compiler exists and is new enough: older ones miscompile coroutines
# (docs/guides/application/async.md).
compiles_coroutines() {
  printf '%s\n' '#if defined(__clang__) ? __clang_major__ < 19 : __GNUC__ < 13' '#error' '#endif' |
    "$1" -E -x c++ - >/dev/null 2>&1
}

# Prints the compiler for programs that users run; on Debian, this is clang 19.
compiler_of_users() {
  local name
  for name in clang++-19 clang++ g++; do
    compiles_coroutines $name && echo $name && return
  done
  return 1
}

# Prints missing programs, headers and modules, on systems whose package database is not queried.
missing_elsewhere() {
  local sign
  for sign in $(packages_of 5 "$@"); do
    case $sign in
      command:*) command -v "${sign#command:}" >/dev/null || echo "${sign#command:}" ;;
      header:*) echo "#include <${sign#header:}>" | g++ -std=c++23 -E -x c++ - >/dev/null 2>&1 ||
        echo "<${sign#header:}>" ;;
      compiler:*) compiler_of_users >/dev/null || echo "clang 19 or g++ 13, or newer" ;;
      module:*) python3 -c "import ${sign#module:}" 2>/dev/null ||
        echo "python3: ${sign#module:}" ;;
    esac
  done
}

say_what_to_install() {
  {
    echo "Not found: $1"
    shift
    echo "Install it, then start again:"
    echo "  Debian, Ubuntu:  apt-get install $(packages_of 2 "$@" | xargs)"
    echo "  Fedora:          dnf install $(packages_of 3 "$@" | sort -u | xargs)"
    echo "  Arch:            pacman -S $(packages_of 4 "$@" | sort -u | xargs)"
  } >&2
}

# Prints the command prefix for apt-get; fails if this user may not install packages.
elevation() {
  if [ "$(id -u)" = 0 ]; then
    echo env
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    echo "sudo env"
  else
    return 1
  fi
}

# install_debian PACKAGE… : updates the package lists only if the installation fails without.
install_debian() {
  local as log
  as=$(elevation) || return 1
  log=$(mktemp)
  echo "Installing: $*" >&2
  local get=($as DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends)
  if ! "${get[@]}" install "$@" </dev/null >"$log" 2>&1; then
    "${get[@]}" update </dev/null >>"$log" 2>&1
    if ! "${get[@]}" install "$@" </dev/null >>"$log" 2>&1; then
      tail -n 20 "$log" >&2
      rm -f "$log"
      return 1
    fi
  fi
  rm -f "$log"
}

is_debian() { [ -r /etc/os-release ] && (. /etc/os-release && [ "$ID" = debian ]); }

# ensure_packages GROUP… : returns if all packages are installed; otherwise prints what to install
# and exits.
ensure_packages() {
  local missing
  if is_debian; then
    missing=$(missing_debian "$@")
    [ -z "$missing" ] && return
    # shellcheck disable=SC2086
    install_debian $missing && return
  else
    missing=$(missing_elsewhere "$@")
    [ -z "$missing" ] && return
  fi
  say_what_to_install "$(echo $missing)" "$@"
  exit 1
}

# ensure_packages_once STAMP GROUP… : the same, but does nothing if STAMP is newer than the list.
ensure_packages_once() {
  local stamp=$1
  shift
  [ -e "$stamp" ] && [ "$stamp" -nt "$packages_file" ] && return
  ensure_packages "$@"
  mkdir -p "${stamp%/*}"
  touch "$stamp"
}
