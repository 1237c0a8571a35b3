// The configuration of a coordinator (docs/operating.md has one with every key).
//
// Laws: a wrong file is said in one sentence with file, line, cause and remedy; paths are seen from the
// file's folder; what the file leaves out has the defaults of the types below.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/grpc_server.h"
#include "server/coordinator.h"

namespace sotto::host {

struct ServeConfig {
  std::string listen = "127.0.0.1:7443";
  std::string status = "127.0.0.1:9464";  // metrics, health, readiness and status; empty: none
  std::filesystem::path state = "state";  // tasks, versions, devices; the admin socket is in it
  std::filesystem::path certificate = "certs/server.pem";
  std::filesystem::path key = "certs/server-key.pem";
  std::filesystem::path client_ca;  // empty: devices need no certificate
  CoordinatorOptions options;
  ServerLimits limits;
  std::vector<TaskConfig> tasks;

  [[nodiscard]] std::string admin_address() const { return "unix:" + (state / "admin.sock").string(); }
};

[[nodiscard]] Result<ServeConfig> read_serve_config(const std::filesystem::path& path);
// The same from a text, for what is not a file. `folder` is where paths start.
[[nodiscard]] Result<ServeConfig> parse_serve_config(const std::string& text, const std::string& name,
                                                     const std::filesystem::path& folder);

}  // namespace sotto::host
