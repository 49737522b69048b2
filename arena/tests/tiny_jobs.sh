#!/bin/sh
# A job queue in SQL, for jobs_test.py. FAULT=lose loses a job, FAULT=end exits early.
# Usage: tiny_jobs.sh DATABASE create|enqueue|work COUNT BATCH CONNECTIONS
run() {
  psql -X -q -v ON_ERROR_STOP=1 -d "$where" -c "$1"
}
where=$1 task=$2 count=$3
[ "$task" = create ] && run "create table queue(n bigint)"
echo ready
read -r _ || exit 0
if [ "$task" = enqueue ]; then
  run "insert into queue select n from generate_series(0, $count - 1) as n"
else
  [ "$FAULT" = end ] && echo "no more workers" >&2 && exit 1
  [ "$FAULT" = lose ] && run "delete from queue where ctid = (select min(ctid) from queue)"
  run "with done as (delete from queue returning n) insert into effects select n from done"
fi
echo done
read -r _
