// An attribute for functions whose result the application owns.
// Layering: must not contain anything else.
#pragma once

/// `EIDER_NO_DANGLING Jobs& add_jobs(…)`: the result outlives the arguments. Otherwise g++ 14 warns
/// about `const Jobs& jobs = add_jobs(app, database, {});`.
#if __has_cpp_attribute(gnu::no_dangling)
#define EIDER_NO_DANGLING [[gnu::no_dangling]]
#else
#define EIDER_NO_DANGLING
#endif
