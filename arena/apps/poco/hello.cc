// Hello world as Poco's documentation writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Util/ServerApplication.h>

#include <iostream>

using namespace Poco::Net;

class HelloHandler : public HTTPRequestHandler {
  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    response.setContentType("text/plain");
    response.send() << "Hello, World!";
  }
};

class HelloFactory : public HTTPRequestHandlerFactory {
  HTTPRequestHandler* createRequestHandler(const HTTPServerRequest&) override {
    return new HelloHandler;
  }
};

class HelloServer : public Poco::Util::ServerApplication {
  int main(const std::vector<std::string>&) override {
    HTTPServer server(new HelloFactory, 8080);
    server.start();
    waitForTerminationRequest();
    server.stop();
    return EXIT_OK;
  }
};

POCO_SERVER_MAIN(HelloServer)
