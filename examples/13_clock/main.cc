// A module with a background task: a clock that continues where it stopped the last time.
//   ./13_clock --clock-pause 500ms --clock-file /tmp/clock
//   curl -N localhost:8080/ticks
// A settings file can set the same options; SIGHUP reloads the pause from it:
//   printf '[clock]\npause = "500ms"\n' > clock.toml; ./13_clock --config clock.toml
#include <eider/eider.h>

#include <fstream>
#include <string>

using namespace eider;

namespace {

class Clock {
 public:
  static constexpr std::string_view kName = "clock";
  struct Settings {
    std::chrono::milliseconds pause = std::chrono::seconds(1);
    std::string file = "clock";

    static constexpr OptionText kOptions[] = {
        {.member = "pause", .help = "Time between two ticks", .is_reloadable = true},
        {.member = "file", .help = "File with the last tick", .takes = "FILE"}};
  };

  explicit Clock(Topics& topics) : topics_(topics) {}

  void start() { std::ifstream(settings->file) >> count_; }

  Task<> run() {
    while (true) {
      const std::string text = std::to_string(++count_);
      topics_.publish("ticks", text, {.name = "tick", .id = text});
      co_await sleep_for(settings->pause);
    }
  }

  Result<void> stop() {
    const bool is_kept = bool(std::ofstream(settings->file) << count_ << std::flush);
    return is_kept ? Result<void>() : fail(Error::internal("cannot write " + settings->file));
  }

  Reloadable<Settings> settings;

 private:
  Topics& topics_;
  int count_ = 0;
};

}  // namespace

App make_app() {
  App app;
  app.add_module<Clock>(app.topics());
  app.get("/pause", [](State<Clock> clock) { return format_duration(clock->settings->pause); });
  app.get("/ticks", [](EventStream events, State<Topics> topics) {
    return events.subscribe(*topics, "ticks");
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("clock", argc, argv, make_app);
}
