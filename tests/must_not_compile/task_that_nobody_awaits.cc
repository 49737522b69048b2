// expect: write co_await in front
#include <eider/eider.h>
eider::Task<int> answer();
#ifdef FIXED
eider::Task<> ask() { auto task = answer(); (void)co_await std::move(task); }
#else
eider::Task<> ask() { answer(); co_return; }
#endif
