create table authors(
  id      bigint auto_increment primary key,
  name    varchar(80) not null,
  mood    enum('calm', 'busy') not null default 'calm',
  class   varchar(20) not null check(class in ('public', 'in-house')),
  `order` int not null default 0,
  born    date,
  contact varchar(200) not null);
create table books(
  id        bigint auto_increment primary key,
  author_id bigint not null references authors(id),
  title     varchar(300) not null check(char_length(title) between 1 and 200),
  stars     tinyint check(stars between 0 and 5),
  state     varchar(20) not null default 'draft' check(state in ('draft', 'printed')),
  price     decimal(9, 2) not null,
  data      json,
  code      uuid,
  written   timestamp(6) not null default now(6),
  seen      datetime,
  opens     time,
  cover     blob,
  weight    double not null default 1.5,
  is_sold   boolean not null default false,
  slug      varchar(300) as (lower(title)) stored,
  version   int unsigned not null default 0,
  deleted   timestamp null);
create table book_tags(
  book_id bigint not null references books(id),
  tag     varchar(40) not null,
  primary key(book_id, tag));
create table `user`(
  id       int unsigned auto_increment primary key,
  name     varchar(40) not null unique,
  `a name` text);
create table audit(line text);
create view printed as select * from books where state = 'printed';
