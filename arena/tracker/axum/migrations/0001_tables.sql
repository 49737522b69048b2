create table users(
  id       integer primary key,
  name     text not null unique,
  email    text not null,
  password text not null,
  role     text not null);
create table issues(
  id       integer primary key autoincrement,
  title    text not null,
  body     text not null,
  state    text not null default 'open',
  priority integer not null,
  labels   text not null,
  assignee_id integer references users(id),
  author   text not null,
  version  integer not null default 1,
  created  text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
create table attachments(
  id       integer primary key,
  issue_id integer not null references issues(id) on delete cascade,
  name     text not null,
  size     integer not null,
  file     text not null unique);
create table events(
  id       integer primary key autoincrement,
  kind     text not null,
  issue_id integer not null,
  by       text not null,
  is_delivered integer not null default 0);
