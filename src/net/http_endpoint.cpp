#include "net/http_endpoint.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace sotto::net {

namespace {

constexpr std::size_t answering_threads = 16;
constexpr std::size_t most_waiting = 32;

// httplib's own has no bound. Here the accepting thread waits when there are too many: then the kernel's list
// of connections fills, which is bounded.
class BoundedTasks : public httplib::TaskQueue {
 public:
  BoundedTasks() {
    for (std::size_t at = 0; at < answering_threads; ++at) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.size() < most_waiting || over_; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty() || over_; });
        if (tasks_.empty()) return;  // over, and all are answered
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      changed_.notify_all();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool over_ = false;
};

// A connection whose reads and writes all together end at a deadline. httplib knows one for each of them
// alone, so that a byte now and then would hold a thread for ever.
class TimedStream final : public httplib::Stream {
 public:
  TimedStream(socket_t socket, int patience_ms)
      : socket_(socket), ends_(Clock::now() + std::chrono::milliseconds(patience_ms)) {}

  bool is_readable() const override { return next_ < filled_ || wait_for(POLLIN); }
  bool is_writable() const override { return wait_for(POLLOUT); }
  ssize_t read(char* to, std::size_t size) override {
    if (next_ == filled_) {
      if (!wait_for(POLLIN)) return -1;
      const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (got <= 0) return got;
      next_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const std::size_t part = std::min(size, filled_ - next_);
    std::copy_n(buffer_.data() + next_, part, to);
    next_ += part;
    return static_cast<ssize_t>(part);
  }
  ssize_t write(const char* from, std::size_t size) override {
    return wait_for(POLLOUT) ? send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool wait_for(short what) const {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(ends_ - Clock::now()).count();
      if (left <= 0) return false;
      pollfd wait{.fd = socket_, .events = what, .revents = 0};
      const int ready = poll(&wait, 1, static_cast<int>(left));
      if (ready >= 0 || errno != EINTR) return ready > 0;  // a signal is no reason to give up
    }
  }

  socket_t socket_;
  Clock::time_point ends_;
  std::array<char, 4096> buffer_{};
  std::size_t next_ = 0, filled_ = 0;
};

class TimedServer final : public httplib::Server {
 public:
  explicit TimedServer(int patience_ms) : patience_ms_(patience_ms) {}

 private:
  // One request a connection: nobody holds a socket open.
  bool process_and_close_socket(socket_t socket) override {
    TimedStream stream(socket, patience_ms_);
    bool closed = false;
    const bool done = process_request(stream, true, closed, nullptr);
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return done;
  }
  int patience_ms_;
};

void set_up(httplib::Server& server, const HttpPages& pages) {
  server.new_task_queue = [] { return new BoundedTasks; };
  server.set_payload_max_length(1024);
  // httplib's default would let two programs share a port.
  server.set_socket_options([](socket_t socket) {
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (request.method == "GET" || request.method == "HEAD")
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
    response.status = 500;  // what was thrown may say anything: it stays here
  });
  for (const auto& [path, make] : pages)
    server.Get(path, [make = make](const httplib::Request&, httplib::Response& response) {
      const HttpPage page = make();
      response.status = page.status;
      response.set_content(page.body, page.type);
    });
}

}  // namespace

class HttpEndpoint::Listener {
 public:
  Listener(Address place, const HttpPages& pages, int patience_ms)
      : address(std::move(place)), server(patience_ms) {
    set_up(server, pages);
  }
  ~Listener() {
    server.stop();
    if (thread.joinable()) thread.join();
  }

  Address address;
  TimedServer server;
  std::thread thread;
};

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(const std::string& address, HttpPages pages,
                                                          int patience_ms) {
  SOTTO_TRY(Address place, parse_address(address));
  if (place.is_unix())
    return fail(Code::usage, fmt::format("the status pages need HOST:PORT, not {}", place.text()));
  auto listener = std::make_unique<Listener>(std::move(place), pages, patience_ms);
  Address& bound = listener->address;
  int port = bound.port;
  if (port == 0)
    port = listener->server.bind_to_any_port(bound.host);
  else if (!listener->server.bind_to_port(bound.host, port))
    port = -1;
  if (port < 0) {
    SOTTO_TRY_DONE(can_listen(bound));
    return fail(Code::io, fmt::format("the status pages cannot listen at {}", bound.text()));
  }
  bound.port = static_cast<std::uint16_t>(port);
  listener->thread = std::thread([&server = listener->server] { server.listen_after_bind(); });
  // stop() before the loop has begun would be lost.
  while (!listener->server.is_running()) std::this_thread::yield();
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(listener)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}
HttpEndpoint::~HttpEndpoint() = default;
const Address& HttpEndpoint::address() const { return listener_->address; }

}  // namespace sotto::net
