module overloaded

go 1.22
