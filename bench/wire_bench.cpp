// The wire: unary calls a second with 1 KB up and 300 bytes down, client and server in this process; over TLS
// with one connection and with several, beside the same calls over a unix socket without TLS; and full
// handshakes. Time on the processor is of both sides together: on two free cores a call of 333 us would give
// 6,000 a second.
//   wire_bench [CALLERS [SERVER_THREADS]]
#include <fmt/core.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "net/certificates.h"
#include "net/grpc_server.h"
#include "net/grpc_transport.h"

namespace sotto::bench {
namespace {

constexpr int turns = 5;
constexpr std::size_t calls = 4000;
constexpr std::size_t handshakes = 200;

[[nodiscard]] double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  Figures rate;  // a second by the wall
  Figures cpu;   // seconds of one
};

// `work(n)` for n below `count`, by so many threads.
void measure(Measured& out, std::size_t callers, std::size_t count, const auto& work) {
  const double cpu = process_seconds();
  const double wall = wall_seconds_of([&] {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (std::size_t at = 0; at < callers; ++at)
      threads.emplace_back([&] {
        for (std::size_t n; (n = next++) < count;) work(n);
      });
    for (std::thread& thread : threads) thread.join();
  });
  out.rate.add(static_cast<double>(count) / wall);
  out.cpu.add((process_seconds() - cpu) / static_cast<double>(count));
}

void print(const char* label, const Measured& measured) {
  fmt::print("{:28} {:7.0f} a second (median {:.0f}), {:6.1f} us of processor (median {:.1f})\n", label,
             measured.rate.most(), measured.rate.median(), measured.cpu.least() * 1e6,
             measured.cpu.median() * 1e6);
}

std::unique_ptr<GrpcServer> serve(const std::string& address, const std::optional<ServerTls>& tls,
                                  std::size_t threads) {
  ServerOptions options;
  options.address = address;
  options.tls = tls;
  options.limits.threads = threads;
  const std::string reply(300, 'r');
  auto server =
      GrpcServer::start(options, [reply](Service, const std::string&, const std::string&) { return reply; });
  SOTTO_ASSERT(server.ok(), "the server starts");
  return std::move(server).value();
}

using Lines = std::vector<std::unique_ptr<Transport>>;

Lines dial(const GrpcServer& server, const ClientTls& tls, std::size_t connections) {
  Lines lines;
  for (std::size_t at = 0; at < connections; ++at) {
    lines.push_back(grpc_transport(tls, server.address().text()).value());
    SOTTO_ASSERT(lines.back()->call(Method::step, "warm").ok(), "the server answers");
  }
  return lines;
}

void run(std::size_t callers, std::size_t threads) {
  const auto now_s =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const PemPair ca = make_ca("bench", {.now_s = now_s, .days = 1}).value();
  const PemPair pair = make_server_certificate(ca, {"127.0.0.1"}, {.now_s = now_s, .days = 1}).value();
  ClientTls tls;
  tls.ca_pem = ca.certificate;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("sotto-bench-{}", now_s);
  std::filesystem::create_directory(folder);
  const auto secured = serve("127.0.0.1:0", ServerTls{pair.certificate, pair.key, ""}, threads);
  const auto plain = serve("unix:" + (folder / "s").string(), std::nullopt, threads);
  const Lines one = dial(*secured, tls, 1);
  const Lines several = dial(*secured, tls, 8);
  const Lines local = dial(*plain, tls, 8);

  const std::string request(1024, 'q');
  const auto through = [&](const Lines& lines) {
    return [&](std::size_t n) {
      SOTTO_ASSERT(lines[n % lines.size()]->call(Method::check_in, request).ok(), "the server answers");
    };
  };
  Measured tls_one, tls_several, unix_several, shaken;
  for (int turn = 0; turn < turns; ++turn) {
    measure(tls_one, callers, calls, through(one));
    measure(tls_several, callers, calls, through(several));
    measure(unix_several, callers, calls, through(local));
    measure(shaken, 4, handshakes, [&](std::size_t) {
      SOTTO_ASSERT(why_no_connection(secured->address(), tls, 5000).ok(), "a handshake succeeds");
    });
  }
  fmt::print("{} callers, {} threads of the server\n", callers, threads);
  print("calls, TLS, 1 connection", tls_one);
  print("calls, TLS, 8 connections", tls_several);
  print("calls, unix, 8 connections", unix_several);
  fmt::print("TLS / unix, processor        {:7.2f}\n", tls_several.cpu.least() / unix_several.cpu.least());
  print("full handshakes", shaken);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** words) {
  const auto number = [&](int at, std::size_t otherwise) {
    return count > at ? static_cast<std::size_t>(std::stoul(words[at])) : otherwise;
  };
  sotto::bench::run(number(1, 16), number(2, sotto::bench::ServerLimits{}.threads));
  return 0;
}
