#include "stages/report/server.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/stop.h"
#include "base/test_support.h"

namespace uzushio {
namespace {

namespace asio = boost::asio;

TEST(MakeToken, Differs) {
  const std::string token = MakeToken().ValueOrDie();
  EXPECT_EQ(token.size(), 64);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, MakeToken().ValueOrDie());
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    config_.page = "<!doctype html>";
    config_.token = "secret";
    config_.kept = [](const std::string& body) -> arrow::Result<std::string> {
      if (body == "bad") return arrow::Status::Invalid("what is that?");
      if (body == "broken") return arrow::Status::IOError("no disk");
      return "{\"body\":\"" + body + "\"}";
    };
    std::promise<std::string> ready;
    config_.on_ready = [&ready](const std::string& url) { ready.set_value(url); };
    thread_ = std::thread([this] {
      const StopScope scope(stop_.token());
      EXPECT_TRUE(Serve(config_).ok());
    });
    const std::string url = ready.get_future().get();
    host_ = url.substr(7, url.find('/', 7) - 7);
    EXPECT_EQ(url, "http://" + host_ + "/?token=secret");
  }
  ~ServerTest() override {
    stop_.RequestStop();
    thread_.join();
  }

  // What is answered until the connection is closed.
  std::string Send(const std::string& bytes) {
    asio::ip::tcp::socket socket(context_);
    const auto port = static_cast<uint16_t>(std::stoi(host_.substr(host_.find(':') + 1)));
    socket.connect({asio::ip::address_v4::loopback(), port});
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }
  std::string Ask(const std::string& first, const std::string& headers, const std::string& body = "") {
    return Send(first + " HTTP/1.1\r\n" + headers +
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string Host() const { return "Host: " + host_ + "\r\n"; }
  static std::string StatusOf(const std::string& answer) { return answer.substr(9, 3); }

  ServerConfig config_;
  arrow::StopSource stop_;
  asio::io_context context_;
  std::string host_;
  std::thread thread_;
};

TEST_F(ServerTest, ThePageAndAnswers) {
  const std::string page = Ask("GET /?token=secret", Host());
  EXPECT_EQ(StatusOf(page), "200");
  EXPECT_TRUE(page.ends_with("\r\n\r\n<!doctype html>")) << page;
  for (const char* header : {"Content-Type: text/html; charset=utf-8", "Cache-Control: no-store",
                             "Referrer-Policy: same-origin", "frame-ancestors 'none'", "nosniff"}) {
    EXPECT_NE(page.find(header), std::string::npos) << header;
  }
  const std::string origin = Host() + "Origin: http://" + host_ + "\r\n";
  EXPECT_TRUE(Ask("POST /kept?token=secret", origin, "x").ends_with("{\"body\":\"x\"}"));
  const std::string port = host_.substr(host_.find(':'));
  EXPECT_EQ(StatusOf(Ask("GET /?token=secret", "Host: localhost" + port + "\r\n")), "200");
  const std::string bad = Ask("POST /kept?token=secret", Host(), "bad");
  EXPECT_EQ(StatusOf(bad), "400");
  EXPECT_TRUE(bad.ends_with("what is that?\n"));
  EXPECT_EQ(StatusOf(Ask("POST /kept?token=secret", Host(), "broken")), "500");
}

TEST_F(ServerTest, SeveralRequestsOfAConnection) {
  const std::string request = "GET /?token=secret HTTP/1.1\r\n" + Host() + "\r\n";
  const std::string last = "GET /x?token=secret HTTP/1.1\r\n" + Host() + "Connection: close\r\n\r\n";
  const std::string answers = Send(request + request + last);
  EXPECT_NE(answers.find("200", answers.find("<!doctype")), std::string::npos);
  EXPECT_NE(answers.find("404"), std::string::npos);
}

// Who does not give the token keeps no connection.
TEST_F(ServerTest, OneRequestWithoutTheToken) {
  const std::string refused = "GET /?token=guess HTTP/1.1\r\n" + Host() + "\r\n";
  const std::string last = "GET /?token=secret HTTP/1.1\r\n" + Host() + "Connection: close\r\n\r\n";
  const std::string answers = Send(refused + last);
  EXPECT_EQ(StatusOf(answers), "403");
  EXPECT_NE(answers.find("Connection: close"), std::string::npos);
  EXPECT_EQ(answers.find("<!doctype"), std::string::npos);
}

TEST_F(ServerTest, WhatIsForeign) {
  const std::string port = host_.substr(host_.find(':'));
  for (const std::string& host :
       {std::string(), std::string("Host: evil.example") + port + "\r\n", std::string("Host: 127.0.0.1\r\n"),
        "Host: 127.0.0.1" + port + ".evil.example\r\n", Host() + Host()}) {
    EXPECT_EQ(StatusOf(Ask("GET /?token=secret", host)), "403") << host;
  }
  for (const std::string& origin : {std::string("null"), std::string("http://evil.example"), "https://" + host_,
                                    "http://" + host_ + ".evil.example", std::string("http://127.0.0.1")}) {
    EXPECT_EQ(StatusOf(Ask("POST /kept?token=secret", Host() + "Origin: " + origin + "\r\n", "x")), "403") << origin;
  }
  for (const char* target : {"/", "/?token=", "/?token=secre", "/?token=secrets", "/?x=1&token=secret",
                             "/?token=Secret", "/kept", "/../etc/passwd", "*"}) {
    EXPECT_EQ(StatusOf(Ask(std::string("GET ") + target, Host())), "403") << target;
  }
}

TEST_F(ServerTest, WhatIsNotThere) {
  EXPECT_EQ(StatusOf(Ask("GET /etc/passwd?token=secret", Host())), "404");
  EXPECT_EQ(StatusOf(Ask("POST /?token=secret", Host())), "405");
  EXPECT_EQ(StatusOf(Ask("GET /kept?token=secret", Host())), "405");
}

// Who may connect to this machine may take as many connections as there are.
TEST_F(ServerTest, SilentConnectionsDoNotKeepOthersOut) {
  const auto port = static_cast<uint16_t>(std::stoi(host_.substr(host_.find(':') + 1)));
  std::vector<asio::ip::tcp::socket> silent;
  for (int i = 0; i < 100; ++i) {
    silent.emplace_back(context_).connect({asio::ip::address_v4::loopback(), port});
    if (i % 20 == 19) EXPECT_EQ(StatusOf(Ask("GET /?token=secret", Host())), "200") << i;
  }
}

TEST_F(ServerTest, TooLongOrNoHttp) {
  EXPECT_EQ(StatusOf(Ask("POST /kept?token=secret", Host(), Repeat("x", size_t{257} << 10))), "413");
  EXPECT_EQ(StatusOf(Ask("GET /?token=secret", Host() + "X: " + Repeat("x", size_t{17} << 10) + "\r\n")), "431");
  EXPECT_EQ(StatusOf(Send("\x16\x03\x01 hello\r\n\r\n")), "400");
  EXPECT_EQ(StatusOf(Ask("GET /?token=secret", Host())), "200");
}

}  // namespace
}  // namespace uzushio
