// Checks that the jobs of the installed package link with all their dependencies.
#include <eider/jobs.h>

int main() {
  const eider::JobsOptions options{.concurrency = 5};
  decltype(&eider::add_jobs) volatile add = &eider::add_jobs;
  return options.concurrency == 5 && add != nullptr ? 0 : 1;
}
