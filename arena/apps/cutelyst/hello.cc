// Hello world as Cutelyst's examples write it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <Cutelyst/Server/server.h>
#include <Cutelyst/Application>
#include <Cutelyst/Controller>

#include <QCoreApplication>

using namespace Cutelyst;

// clang-format off: it would put blanks into the attributes, which are read as text.
class Root : public Controller {
  Q_OBJECT
  C_NAMESPACE("")

 public:
  explicit Root(QObject* parent) : Controller(parent) {}

  C_ATTR(index, :Path :AutoArgs)
  void index(Context* c) { c->response()->setBody(QByteArrayLiteral("Hello, World!")); }
};
// clang-format on

class Hello : public Application {
  Q_OBJECT
  CUTELYST_APPLICATION(IID "eider.hello")

 public:
  Q_INVOKABLE explicit Hello(QObject* parent = nullptr) : Application(parent) {}

  bool init() override {
    new Root(this);
    return true;
  }
};

int main(int argc, char** argv) {
  Server server;
  QCoreApplication application(argc, argv);
  server.setHttpSocket({QStringLiteral(":8080")});
  return server.exec(new Hello);
}

#include "hello.moc"
