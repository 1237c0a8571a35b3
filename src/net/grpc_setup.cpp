#include "net/grpc_setup.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <csignal>
#include <cstdlib>
#include <mutex>

namespace sotto::net {

void set_up_grpc() {
  // Writing to somebody who has gone is an error to be read, not the end of the program.
  struct sigaction pipe {};
  if (sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
  static std::once_flag once;
  std::call_once(once, [] {
    // gRPC 1.51 has no setting for the least version. This variable lists the suites of TLS 1.2 alone; the
    // one given needs a key that both sides know beforehand, which gRPC never has, so that no such handshake
    // can succeed. The suites of TLS 1.3 are a list of their own.
    setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES256-GCM-SHA384", 1);
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
    // Held until the process ends: when its last user goes, gRPC may wait ten seconds for a thread of its
    // own.
    grpc_init();
  });
}

}  // namespace sotto::net
