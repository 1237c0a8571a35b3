// What a process says to gRPC once, before its first connection.
//
// Laws: connections speak TLS 1.3 and nothing older; a peer that goes ends no program (SIGPIPE); gRPC writes
// nothing to stderr (a stranger could fill a log with handshakes that fail) unless GRPC_VERBOSITY asks for
// it. It sets an environment variable: the first call comes before a program's threads.
#pragma once

#include "base/layers.h"

namespace sotto::net {

void set_up_grpc();

}  // namespace sotto::net
