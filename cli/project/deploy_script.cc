#include "cli/project/package.h"

namespace eider {

namespace {

/// Arguments: the action, then DIR NAME RELEASE SHA256 SECONDS HEALTH BEFORE.
///
///   look      prints the state and reports missing tools; changes nothing
///   take      reads the archive from standard input
///   activate  unpacks, switches, starts or upgrades, checks the health; rolls back after a failure
///
/// DIR/releases/RELEASE   unpacked packages
/// DIR/current            a link to the serving release
/// DIR/NAME.toml, env     settings; DIR/NAME.pid, NAME.log of a service without a unit
///
/// The script continues if the ssh connection ends, so that no deployment is left incomplete.
constexpr std::string_view kScript = R"sh(
set -u
trap '' HUP PIPE
action=$1 dir=$2 name=$3 release=$4 sum=$5 seconds=$6 health=$7 before=$8
say() { printf '%s\n' "$*" 2>/dev/null || :; }
die() { printf 'eider deploy: %s\n' "$*" >&2 2>/dev/null || :; exit 1; }
tell_failure() { printf 'eider deploy: %s\n' "$*" >&2 2>/dev/null || :; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

now_current() { basename "$(readlink "$dir/current")"; }

look() {
  for tool in tar gzip sha256sum mktemp readlink flock setsid; do
    command -v "$tool" >/dev/null || die "$tool is missing on HOST"
  done
  printf 'machine=%s\n' "$(uname -m)"
  printf 'glibc=%s\n' "$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //')"
  if [ -d "$dir/releases/$release" ]; then say here=yes; fi
  if [ -L "$dir/current" ]; then say "current=$(now_current)"; fi
  if is_unit; then say unit=yes; fi
  if [ -e "$dir" ]; then
    [ -w "$dir" ] || die "$dir is not writable for this user: change its owner with chown"
  else
    up=$dir
    while [ ! -e "$up" ]; do up=$(dirname "$up"); done
    [ -w "$up" ] || die "$dir cannot be created: create it as root for the deploying user"
  fi
}

take() {
  mkdir -p "$dir/incoming" "$dir/releases" || die "$dir cannot be written to"
  # Remove incomplete uploads.
  find "$dir/incoming" -name '*.part' -mmin +60 -delete 2>/dev/null
  part=$(mktemp "$dir/incoming/$release.XXXXXX.part") || die "$dir/incoming cannot be written to"
  trap 'rm -f "$part"' EXIT
  cat >"$part" || die "the package cannot be written: check the disk space"
  [ "$(sha256sum <"$part" | cut -d' ' -f1)" = "$sum" ] ||
    die "the package was not copied completely"
  mv "$part" "$dir/incoming/$release.tar.gz"
}

unpack() {
  rm -rf "$dir"/releases/.[!.]*  # incomplete releases; the lock is held
  [ -d "$dir/releases/$release" ] && return
  part=$(mktemp -d "$dir/releases/.$release.XXXXXX") || die "$dir/releases cannot be written to"
  trap 'rm -rf "$part"' EXIT
  tar -xzf "$dir/incoming/$release.tar.gz" -C "$part" --strip-components=1 --no-same-owner ||
    die "the package cannot be unpacked"
  chmod 755 "$part"
  mv -T "$part" "$dir/releases/$release" || die "the release cannot be moved to releases/"
  rm -f "$dir/incoming/$release.tar.gz"
  trap - EXIT
  say "unpacked releases/$release"
}

point_to() {
  ln -s "releases/$1" "$dir/.current.$$" && mv -T "$dir/.current.$$" "$dir/current"
}

is_unit() {
  command -v systemctl >/dev/null && systemctl cat "$name.service" >/dev/null 2>&1
}
main_pid() { systemctl show -p MainPID --value "$name.service"; }

# The process of this folder whose number is in the file: another may have the number by now.
own_pid() {
  pid=$(cat "$dir/$name.pid" 2>/dev/null) || return 1
  case $(readlink "/proc/$pid/exe" 2>/dev/null) in
    "$dir/releases/"*) printf '%s\n' "$pid" ;;
    *) return 1 ;;
  esac
}

# Runs the command five times a second, until it succeeds or the time is over. The time is limited,
# not the number of runs: a check of a service that does not respond takes seconds.
within() {
  read -r now _ </proc/uptime
  last=$((${now%.*} + seconds))
  while ! "$@"; do
    read -r now _ </proc/uptime
    [ "${now%.*}" -le "$last" ] || return 1
    sleep 0.2
  done
}

# Whether the value has its closing quote.
is_env_closed() {
  case $env_quote in
    \') env_bare=$env_value ;;
    *) env_bare=$(printf '%s\n' "$env_value" | sed 's/\\.//g') ;;
  esac
  case $env_bare in *"$env_quote"*) ;; *) return 1 ;; esac
}

# Exports the variables of the file env. It is read as by systemd (EnvironmentFile=), not as shell
# code: & of a URL and $ of a password belong to the value. Values in quotes may have several lines.
export_env() {
  env_cr=$(printf '\r')
  while read -r env_line || [ -n "$env_line" ]; do
    env_line=${env_line%"$env_cr"} env_line=${env_line#export }
    env_key=${env_line%%=*} env_value=${env_line#*=}
    case $env_line in '#'* | ';'*) continue ;; *=*) ;; *) continue ;; esac
    case $env_key in '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;; esac
    case $env_value in
      \"*) env_quote='"' env_escaped='["\\$`]' ;;
      \'*) env_quote="'" env_escaped= ;;
      *) env_quote= env_escaped=. ;;
    esac
    if [ -n "$env_quote" ]; then
      env_value=${env_value#?}
      while ! is_env_closed && IFS= read -r env_line; do
        env_value="$env_value
${env_line%"$env_cr"}"
      done
      env_value=${env_value%"$env_quote"*}
    fi
    case ${env_escaped:+$env_value} in
      *\\*) env_value=$(printf '%s\n' "$env_value" | sed "s/\\\\\\($env_escaped\\)/\\1/g") ;;
    esac
    export "$env_key=$env_value"
  done
}

# In a subshell of its own, which becomes that program.
become() {
  trap - HUP PIPE  # what is ignored here would be there, too: SIGHUP is a service's word to reload
  cd "$dir" || exit 1
  [ ! -f env ] || export_env <env || exit 1
  exec "$@"
}

log_bytes() { cat "$dir/$name.log" 2>/dev/null | wc -c; }
said_since() { tail -c "+$(($1 + 1))" "$dir/$name.log" 2>/dev/null; }

start_service() {
  log_from=$(log_bytes)
  # The log may contain links and addresses that are for the service's user only.
  (umask 077 && : >>"$dir/$name.log" && chmod go-rwx "$dir/$name.log") 2>/dev/null
  (become setsid "$dir/current/bin/$name" --config "$dir/$name.toml" --pid-file "$dir/$name.pid") \
    </dev/null >>"$dir/$name.log" 2>&1 9>&- &
  started=$!
  is_up() { pid=$(own_pid) || { ! kill -0 "$started" 2>/dev/null; }; }
  within is_up
  if ! pid=$(own_pid); then
    tell_failure "the program did not start; end of its log:"
    said_since "$log_from" | tail -n 5 >&2
    kill "$started" 2>/dev/null
    return 1
  fi
  say "started process $pid"
}

# Of a unit's process that is another user's, where sudo is for more than systemctl.
as_service() { "$@" 2>/dev/null || { is_unit && as_root "$@" 2>/dev/null; }; }
exe_of() { as_service readlink "/proc/$1/exe"; }
serving_exe() { exe_of "$(if is_unit; then main_pid; else own_pid; fi)"; }

# Ends processes of the new release that are still starting, so that they do not replace $1 later.
end_starting() {
  new_exe=$dir/releases/$release/bin/$name
  [ "$(exe_of "$1")" = "$new_exe" ] && return
  for each in $(as_service cat "/proc/$1/task/"*/children); do
    [ "$(exe_of "$each")" = "$new_exe" ] || continue
    as_service kill "$each"
    is_gone() { [ ! -e "/proc/$each" ]; }
    within is_gone || as_service kill -9 "$each"
  done
}

upgrade_service() {
  old=$1
  log_from=$(log_bytes)
  kill -USR2 "$old" || return 1
  refusal() { said_since "$log_from" | grep 'No new process takes over' | tail -n 1; }
  is_told() { [ "$(own_pid)" != "$old" ] || [ -n "$(refusal)" ]; }
  why=
  if within is_told; then why=$(refusal); else end_starting "$old"; fi
  new=$(own_pid) || new=
  if [ -z "$new" ] || [ "$new" = "$old" ]; then
    tell_failure "the new process did not start: ${why:-no result within $seconds s}"
    return 1
  fi
  say "process $new replaced $old"
}

restart_unit() {
  case $(systemctl show -p ExecStart --value "$name.service") in
    *"$dir/current/bin/$name"*) ;;
    *) tell_failure "$name.service does not run $dir/current/bin/$name"; return 1 ;;
  esac
  old=$(main_pid)
  how=restart
  if systemctl is-active --quiet "$name.service" &&
    [ "$(systemctl show -p CanReload --value "$name.service")" = yes ]; then
    how=reload
  fi
  is_other() { [ "$(main_pid)" != "$old" ]; }
  if ! as_root systemctl "$how" "$name.service" || ! within is_other; then
    end_starting "$old"
    tell_failure "the new process did not start; see journalctl -u $name"
    return 1
  fi
  say "systemd runs process $(main_pid)"
}

bring_up() {
  if is_unit; then
    restart_unit
  elif running=$(own_pid); then
    upgrade_service "$running"
  else
    start_service
  fi
}

# Of "listen = ["0.0.0.0:80"]" or of host and port, as the program itself reads its settings.
find_health() {
  [ -n "$health" ] && return
  settings=$( (become "$dir/current/bin/$name" --config "$dir/$name.toml" --print-config) \
    2>/dev/null | sed -n '/^\[server\]/,$p')
  setting() {
    printf '%s\n' "$settings" | sed -n "s/^$1 = *\[*\"*\([^]\" ]*\).*/\1/p" | head -n 1
  }
  place=$(setting listen)
  if [ -z "$place" ]; then
    place=$(setting host)
    case $place in *:*) place="[$place]" ;; esac
    place=$place:$(setting port)
  fi
  case $place in
    0.0.0.0:*) place=127.0.0.1:${place#0.0.0.0:} ;;
    '[::]:'*) place="[::1]:${place#'[::]:'}" ;;
    unix:*) health="unix:${place#unix:}"; return ;;
    *[0-9]) ;;
    *) place=127.0.0.1:8080 ;;
  esac
  health=http://$place/readyz
}

status_by_curl() { curl -sk -o /dev/null -m 5 -w '%{http_code}' "$@"; }

# With bash, if there is no curl.
status_by_hand() {
  rest=${health#http://}
  at=${rest%%/*}
  timeout 5 bash -c '
    host=${1%:*} host=${host#[}
    exec 3<>"/dev/tcp/${host%]}/${1##*:}" &&
      printf "GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" "$2" "$1" >&3 &&
      head -c 12 <&3 | tail -c 3' - "$at" "${rest#*/}" 2>/dev/null
}

ask_health() {
  case $health in
    unix:*) status=$(status_by_curl --unix-socket "${health#unix:}" http://localhost/readyz) ;;
    *) if command -v curl >/dev/null; then
         status=$(status_by_curl -- "$health")
       else
         status=$(status_by_hand)
       fi ;;
  esac
  [ "$status" = 200 ]
}

check_health() {
  [ "$health" = none ] && return
  find_health
  if within ask_health; then
    say "ready: $health"
    return
  fi
  case $status in
    404) tell_failure "$health returns 404: call serve_health(app), or use --health URL" ;;
    '' | 000) tell_failure "$health does not respond: set the URL with --health URL" ;;
    *) tell_failure "$health returns $status: not ready; the log names the failed check" ;;
  esac
  return 1
}

go_back() {
  if [ -z "$previous" ]; then
    rm -f "$dir/current"
    if is_unit; then
      as_root systemctl stop "$name.service"
    elif pid=$(own_pid); then
      kill "$pid"
    fi
    die "there was no previous release, so nothing serves"
  fi
  if [ "$previous" = "$release" ]; then
    die "releases/$release was already active: there is no release to roll back to"
  fi
  point_to "$previous" || die "current cannot be switched back to releases/$previous: do it by hand"
  say "switched current back to releases/$previous"
  # However little time the new one had: the service is ended where the one before is not heard of.
  [ "$seconds" -ge 30 ] || seconds=30
  why=
  serving=$(serving_exe)
  case $serving in
    "$dir/releases/$previous/"*) ;;
    *) if is_unit && [ -z "$serving" ]; then  # who may not look ends all of it
         as_root systemctl restart "$name.service"
       else
         bring_up || start_anew
       fi || stay ;;
  esac
  die "rolled back: releases/$previous serves"
}

# The one before may refuse, such as over a schema that the new one has changed: who serves, though
# not ready, is more than nobody.
stay() {
  why="releases/$previous did not start either"
  case $(serving_exe) in
    "$dir/releases/$release/"*) point_to "$release" &&
      die "$why: releases/$release, which is not ready, continues to serve" ;;
  esac
  die "$why"
}

# What does not take SIGUSR2 any more is ended; not so where it does, and the program ends itself.
start_anew() {
  is_unit && return 1
  case $why in *' the process exited with status '*) return 1 ;; esac
  if pid=$(own_pid); then
    kill "$pid"
    is_gone() { ! kill -0 "$pid" 2>/dev/null; }
    within is_gone || kill -9 "$pid"
  fi
  start_service
}

remove_old() {
  count=0
  for each in $(ls -1t "$dir/releases"); do
    count=$((count + 1))
    if [ "$count" -gt 5 ] && [ "$each" != "$release" ] && [ "$each" != "$previous" ]; then
      rm -rf "$dir/releases/$each"
      say "removed releases/$each"
    fi
  done
}

activate() {
  # /proc shows the real path of a program.
  dir=$(cd "$dir" && pwd -P) || exit 1
  exec 9>"$dir/.deploying" || die "$dir cannot be written to"
  flock -n 9 || die "another deployment to $dir is running"
  [ -e "$dir/$name.toml" ] ||
    printf '# Settings of %s; see its --help.\n' "$name" >"$dir/$name.toml"
  previous=
  [ -L "$dir/current" ] && previous=$(now_current)
  unpack
  if [ -n "$before" ]; then
    (become env RELEASE="$dir/releases/$release" sh -c "$before") 9>&- ||
      die "$before exited with status $?: the release was not activated"
    say "done: $before"
  fi
  touch "$dir/releases/$release"
  point_to "$release" || die "current cannot be switched"
  say "switched current to releases/$release"
  if bring_up && check_health; then
    remove_old
    return 0
  fi
  go_back
}

"$action"
)sh";

}  // namespace

std::string_view deploy_script() noexcept {
  return kScript;
}

}  // namespace eider
