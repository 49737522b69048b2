// The arena's endpoints on Cutelyst: an application with one controller, Qt's JSON and timers.
//
//   cutelyst_app PORT THREADS DELAY_MS
#include <Cutelyst/Server/server.h>
#include <Cutelyst/async.h>
#include <Cutelyst/Application>
#include <Cutelyst/Controller>

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLoggingCategory>
#include <QTimer>
#include <thread>

#include "../common/adapter.h"

using Cutelyst::Context;

namespace {

constexpr int kBacklog = 4096;
constexpr int kIdleSeconds = 600;

/// Set before the server starts: Cutelyst makes an application per thread by itself.
std::chrono::milliseconds delay{0};

void answer(Context* context, const QByteArray& type, const QByteArray& body) {
  context->response()->setContentType(type);
  context->response()->setBody(body);
}

void answer_plain(Context* context, const QByteArray& body) {
  answer(context, QByteArrayLiteral("text/plain"), body);
}

void refuse(Context* context, quint16 status) {
  context->response()->setStatus(status);
  answer_plain(context, QByteArrayLiteral("refused"));
}

/// The object in the body with `"reply":"received"` added, or a refusal.
void answer_post(Context* context) {
  QIODevice* body = context->request()->body();
  const auto json = QJsonDocument::fromJson(body == nullptr ? QByteArray() : body->readAll());
  if (!json.isObject()) {
    refuse(context, Cutelyst::Response::BadRequest);
    return;
  }
  QJsonObject object = json.object();
  object.insert(QStringLiteral("reply"), QStringLiteral("received"));
  context->response()->setJsonObjectBody(object);
}

}  // namespace

// clang-format off: it would put blanks into the attributes, which are read as text.
class Root : public Cutelyst::Controller {
  Q_OBJECT
  C_NAMESPACE("")

 public:
  explicit Root(QObject* parent) : Controller(parent) {
    for (const int size : arena::kSizes) {
      bodies_.push_back(QByteArray(size, 'x'));
    }
  }

  C_ATTR(plaintext, :Global :AutoArgs)
  void plaintext(Context* c) { answer_plain(c, arena::kHello); }

  C_ATTR(simple, :Global :AutoArgs)
  void simple(Context* c) { answer_plain(c, arena::kHello); }

  C_ATTR(bench, :Global :AutoArgs)
  void bench(Context* c) { answer_plain(c, arena::kHello); }

  C_ATTR(html, :Global :AutoArgs)
  void html(Context* c) { answer(c, QByteArrayLiteral("text/html"), arena::kHtml); }

  C_ATTR(json, :Global :AutoArgs)
  void json(Context* c) {
    c->response()->setJsonObjectBody(
        {{QStringLiteral("message"), QString::fromLatin1(arena::kHello)}});
  }

  C_ATTR(status, :Path('/test/status') :AutoArgs)
  void status(Context* c) { answer_plain(c, QByteArrayLiteral("OK")); }

  C_ATTR(label, :Path('/test/labels') :AutoArgs)
  void label(Context* c, const QString& text) { answer_plain(c, text.toUtf8()); }

  C_ATTR(user, :Path('/users') :AutoArgs)
  void user(Context* c, const QString& id, const QString& posts, const QString& post) {
    bool is_id = false;
    bool is_post = false;
    const int first = id.toInt(&is_id);
    const int second = post.toInt(&is_post);
    if (!is_id || !is_post || posts != QLatin1String("posts")) {
      refuse(c, Cutelyst::Response::NotFound);
      return;
    }
    answer_plain(c, QByteArray::fromStdString(arena::post_text(first, second)));
  }

  C_ATTR(bytes, :Path('/bytes') :AutoArgs)
  void bytes(Context* c, const QString& size) {
    for (const QByteArray& body : bodies_) {
      if (size.toInt() == static_cast<int>(body.size())) {
        answer(c, arena::kOctets, body);
        return;
      }
    }
    refuse(c, Cutelyst::Response::NotFound);
  }

  C_ATTR(test, :Path('/test') :AutoArgs)
  void test(Context* c) {
    if (delay.count() == 0) {
      answer_post(c);
      return;
    }
    const Cutelyst::ASync waiting(c);
    QTimer::singleShot(delay, c, [c, waiting] { answer_post(c); });
  }

  C_ATTR(blocking, :Path('/test/blocking') :AutoArgs)
  void blocking(Context* c) {
    std::this_thread::sleep_for(delay);
    answer_post(c);
  }

 private:
  QList<QByteArray> bodies_;
};
// clang-format on

class Arena : public Cutelyst::Application {
  Q_OBJECT
  CUTELYST_APPLICATION(IID "eider.arena")

 public:
  Q_INVOKABLE explicit Arena(QObject* parent = nullptr) : Application(parent) {}

  bool init() override {
    new Root(this);
    return true;
  }
};

int main(int argc, char** argv) {
  const arena::Options options = arena::read_options(argc, argv);
  delay = options.delay;
  QLoggingCategory::setFilterRules(QStringLiteral("*=false"));
  Cutelyst::Server server;  // before the next, so that its epoll loop is taken
  QCoreApplication application(argc, argv);
  server.setHttpSocket({QStringLiteral("0.0.0.0:%1").arg(options.port)});
  server.setThreads(QString::number(options.threads));
  server.setReusePort(true);
  server.setTcpNodelay(true);
  server.setListenQueue(kBacklog);
  server.setSocketTimeout(kIdleSeconds);
  return server.exec(new Arena);
}

#include "app.moc"
