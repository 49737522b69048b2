create table people(
  id       integer primary key autoincrement,
  account  text not null unique,
  name     text not null,
  email    text not null,
  role     text not null check(role in ('patient', 'doctor', 'staff')),
  language text not null);
create table appointments(
  id         integer primary key autoincrement,
  doctor_id  integer not null references people(id),
  patient_id integer not null references people(id),
  starts     text not null,
  reason     text not null,
  unique(doctor_id, starts),
  unique(patient_id, starts));
create table documents(
  id         integer primary key autoincrement,
  patient_id integer not null references people(id),
  name       text not null,
  bytes      integer not null,
  key        text not null unique);
create index documents_by_patient on documents(patient_id);
