create table people(
  id       bigint generated always as identity primary key,
  account  text not null unique,
  name     text not null,
  email    text not null,
  role     text not null check(role in ('patient', 'doctor', 'staff')),
  language text not null);
create table appointments(
  id         bigint generated always as identity primary key,
  doctor_id  bigint not null references people(id),
  patient_id bigint not null references people(id),
  starts     timestamptz not null,
  reason     text not null,
  unique(doctor_id, starts),
  unique(patient_id, starts));
create table documents(
  id         bigint generated always as identity primary key,
  patient_id bigint not null references people(id),
  name       text not null,
  bytes      bigint not null,
  key        text not null unique);
create index documents_by_patient on documents(patient_id);
