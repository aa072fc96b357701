#include "stages/report/server.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/guard.h"
#include "base/stop.h"

namespace uzushio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr uint64_t kMostBody = 256 << 10;
constexpr uint32_t kMostHeader = 16 << 10;
constexpr size_t kMostConnections = 32;
constexpr auto kPatience = std::chrono::seconds(30);     // with a connection that neither sends nor reads
constexpr auto kFirstRequest = std::chrono::seconds(2);  // with one that has not sent the token yet
constexpr auto kFarewell = std::chrono::seconds(2);      // with one that goes on sending when it was answered
constexpr auto kStopInterval = std::chrono::milliseconds(100);

using Request = http::request<http::string_body>;
using Response = http::response<http::span_body<const char>>;

// Compares all characters whatever the first that differs: time tells nothing.
bool IsSecret(std::string_view given, std::string_view secret) {
  unsigned differs = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < secret.size(); ++i) {
    const char other = i < given.size() ? given[i] : '\0';
    differs |= static_cast<unsigned char>(other) ^ static_cast<unsigned char>(secret[i]);
  }
  return differs == 0;
}

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

// The one header of a name; nothing: there is none, or several.
std::optional<std::string_view> OnlyHeader(const Request& request, http::field name) {
  if (request.count(name) != 1) return std::nullopt;
  return View(request[name]);
}

// What is answered. The text lives as long as the config or `made`.
struct Answer {
  http::status status = http::status::ok;
  const char* type = "text/plain; charset=utf-8";
  std::string made;
  const std::string* text = nullptr;  // null: `made`
};

Answer Refusal(http::status status, std::string why) {
  return {.status = status, .made = std::move(why) + "\n", .text = nullptr};
}

// Decides on requests.
class Answerer {
 public:
  Answerer(const ServerConfig& config, uint16_t port) : config_(config), port_(std::to_string(port)) {}

  std::string url() const { return "http://127.0.0.1:" + port_ + "/?token=" + config_.token; }

  Answer operator()(const Request& request) const {
    const auto host = OnlyHeader(request, http::field::host);
    if (!host || !IsOwn(*host)) return Refusal(http::status::forbidden, "foreign host");
    if (request.count(http::field::origin) > 0) {
      const auto origin = OnlyHeader(request, http::field::origin);
      constexpr std::string_view kScheme = "http://";
      if (!origin || !origin->starts_with(kScheme) || !IsOwn(origin->substr(kScheme.size()))) {
        return Refusal(http::status::forbidden, "foreign origin");
      }
    }
    const std::string_view target = View(request.target());
    const size_t query = target.find('?');
    constexpr std::string_view kToken = "?token=";
    const std::string_view rest = target.substr(std::min(query, target.size()));
    if (!rest.starts_with(kToken) || !IsSecret(rest.substr(kToken.size()), config_.token)) {
      return Refusal(http::status::forbidden, "wrong token: open the URL that uzushio printed");
    }
    const std::string_view path = target.substr(0, query);
    if (path == "/" && request.method() == http::verb::get) {
      return {.type = "text/html; charset=utf-8", .made = {}, .text = &config_.page};
    }
    if (path == "/kept" && request.method() == http::verb::post) return Kept(request.body());
    if (path == "/" || path == "/kept") return Refusal(http::status::method_not_allowed, "no such method");
    return Refusal(http::status::not_found, "nothing is here");
  }

 private:
  bool IsOwn(std::string_view host) const { return host == "127.0.0.1:" + port_ || host == "localhost:" + port_; }

  Answer Kept(const std::string& body) const {
    const arrow::Result<std::string> kept = Guarded([&] { return config_.kept(body); });
    if (kept.ok()) return {.type = "application/json", .made = *kept, .text = nullptr};
    const auto status = kept.status().IsInvalid() ? http::status::bad_request : http::status::internal_server_error;
    return Refusal(status, kept.status().message());
  }

  const ServerConfig& config_;
  std::string port_;
};

// One connection: reads a request, answers it, reads the next.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Answerer& answerer, std::list<Connection*>* connections)
      : stream_(std::move(socket)),
        answerer_(answerer),
        connections_(*connections),
        place_(connections_.insert(connections_.end(), this)) {}
  ~Connection() {
    if (!is_closed_) connections_.erase(place_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_known() const { return is_known_; }
  // What is under way fails, with which the connection ends. It is no longer among those that there are.
  void Close() {
    is_closed_ = true;
    connections_.erase(place_);
    stream_.close();
  }

  void Read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHeader);
    stream_.expires_after(is_known_ ? kPatience : kFirstRequest);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, size_t) { self->HasRead(error); });
  }

 private:
  void HasRead(beast::error_code error) {
    if (is_closed_) return;
    if (!error) {
      const Request& request = parser_->get();
      return Write(answerer_(request), request.keep_alive());
    }
    if (error == http::error::body_limit) return Write(Refusal(http::status::payload_too_large, "too long"), false);
    if (error == http::error::header_limit) {
      return Write(Refusal(http::status::request_header_fields_too_large, "too long"), false);
    }
    // What came is no HTTP; else the other side has gone, or has said nothing for long.
    const bool is_bad = error.category() == http::make_error_code(http::error::bad_method).category() &&
                        error != http::error::end_of_stream && error != http::error::partial_message;
    if (is_bad) Write(Refusal(http::status::bad_request, "no HTTP request"), false);
  }

  void Write(Answer answer, bool keep_alive) {
    answer_ = std::move(answer);
    is_known_ |= answer_.status == http::status::ok;
    const std::string& text = answer_.text != nullptr ? *answer_.text : answer_.made;
    response_ = {};
    response_.result(answer_.status);
    response_.version(11);
    response_.keep_alive(keep_alive && is_known_);
    response_.set(http::field::content_type, answer_.type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("Referrer-Policy", "same-origin");  // the token is in the URL
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Content-Security-Policy", "frame-ancestors 'none'");  // which no page can say itself
    response_.body() = {text.data(), text.size()};
    response_.prepare_payload();
    stream_.expires_after(is_known_ ? kPatience : kFirstRequest);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (error || self->is_closed_) return;
      if (self->response_.keep_alive()) return self->Read();
      beast::error_code ignored;
      std::ignore = self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      self->stream_.expires_after(kFarewell);
      self->Drain();
    });
  }

  // What is still sent is not looked at; closed before it has come, the connection would lose the answer.
  void Drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kMostHeader), [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error && !self->is_closed_) self->Drain();
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader + kMostBody};
  std::optional<http::request_parser<http::string_body>> parser_;
  Answer answer_;
  bool is_known_ = false;   // the token has come
  bool is_closed_ = false;  // by Close
  Response response_;
  const Answerer& answerer_;
  std::list<Connection*>& connections_;  // all that there are, in the order in which they came
  std::list<Connection*>::iterator place_;
};

// Takes connections until it is stopped, all by one thread.
class Server {
 public:
  explicit Server(const ServerConfig& config)
      : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        signals_(context_, SIGINT, SIGTERM),
        stop_(context_),
        again_(context_),
        answerer_(config, acceptor_.local_endpoint().port()) {}

  void Run(const std::function<void(const std::string&)>& on_ready) {
    signals_.async_wait([this](beast::error_code error, int) {
      if (!error) context_.stop();
    });
    AskWhetherToStop();
    Accept();
    on_ready(answerer_.url());
    context_.run();
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error) return AcceptLater();
      if (connections_.size() >= kMostConnections) CloseOne();
      std::make_shared<Connection>(std::move(socket), answerer_, &connections_)->Read();
      Accept();
    });
  }
  // The oldest that has not sent the token; where all have, the oldest. What it was doing ends before the next is
  // taken.
  void CloseOne() {
    const auto stranger = std::ranges::find_if(connections_, [](const Connection* one) { return !one->is_known(); });
    (stranger != connections_.end() ? *stranger : connections_.front())->Close();
  }
  // When the system has no more descriptors.
  void AcceptLater() {
    again_.expires_after(kStopInterval);
    again_.async_wait([this](beast::error_code error) {
      if (!error) Accept();
    });
  }

  void AskWhetherToStop() {
    stop_.expires_after(kStopInterval);
    stop_.async_wait([this](beast::error_code error) {
      if (error) return;
      if (CheckStop().ok()) return AskWhetherToStop();
      context_.stop();
    });
  }

  std::list<Connection*> connections_;  // outlives them, which the context has
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer stop_;
  asio::steady_timer again_;
  Answerer answerer_;
};

}  // namespace

arrow::Result<std::string> MakeToken() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return arrow::Status::IOError("no random numbers can be had from the system: ", std::strerror(errno));
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

arrow::Status Serve(const ServerConfig& config) {
  const arrow::Status served = Guarded([&] {
    Server(config).Run(config.on_ready);
    return arrow::Status::OK();
  });
  return served.ok() ? served : served.WithMessage("--serve: ", served.message());
}

}  // namespace uzushio
