// sotto certs: a CA of one's own and a server's certificate, for a first try.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/files/files.h"
#include "net/certificates.h"

namespace sotto::cli {

namespace fs = std::filesystem;

namespace {

struct CertsOptions {
  CommonOptions common;
  std::string out;
  std::vector<std::string> hosts;
  std::uint32_t days = 365;
  std::uint32_t ca_days = 3650;
  bool renew = false;
};

struct CertFiles {
  explicit CertFiles(const fs::path& folder)
      : ca(folder / "ca.pem"),
        ca_key(folder / "ca-key.pem"),
        server(folder / "server.pem"),
        server_key(folder / "server-key.pem") {}
  fs::path ca;
  fs::path ca_key;
  fs::path server;
  fs::path server_key;
};

Status write_key(const fs::path& path, const std::string& pem) {
  return write_file(path, std::as_bytes(std::span(pem)), Privacy::owner_only);
}

// The folder's CA, or a new one: devices that know it go on knowing the server when its certificate is
// renewed.
Result<PemPair> ca_of(const CertFiles& files, const CertsOptions& options, std::int64_t now_s) {
  SOTTO_TRY(const bool has_ca, is_there(files.ca));
  SOTTO_TRY(const bool has_key, is_there(files.ca_key));
  if (has_ca && has_key) {
    PemPair ca;
    SOTTO_TRY(ca.certificate, read_text(files.ca));
    SOTTO_TRY(ca.key, read_text(files.ca_key));
    SOTTO_TRY_DONE(check_ca({files.ca.string(), ca.certificate}, now_s));
    SOTTO_TRY_DONE(
        check_pair({files.ca.string(), ca.certificate}, {files.ca_key.string(), ca.key}, "", now_s));
    return ca;
  }
  if (has_ca || has_key)
    return fail(
        Code::bad_input,
        fmt::format(
            "{}: only one half of a CA is here, {}: put the other one back, or choose an empty folder",
            options.out, has_ca ? "ca.pem" : "ca-key.pem"));
  SOTTO_TRY(PemPair ca, make_ca("Sotto CA", {.now_s = now_s, .days = options.ca_days}));
  SOTTO_TRY_DONE(write_key(files.ca_key, ca.key));
  SOTTO_TRY_DONE(write_file(files.ca, ca.certificate));
  return ca;
}

void print_files(const CertFiles& files, const CertsOptions& options, std::int64_t last_s,
                 const Console& console) {
  console.print(fmt::format(
      "A server's certificate for {}, valid until {:%Y-%m-%d}.\n\n"
      "to the coordinator's machine, named in its configuration:\n"
      "  {}      shown to every device\n"
      "  {}  its key, readable by you alone\n"
      "to every device:\n"
      "  {}          how it knows the server\n"
      "nowhere (keep it off the network; anyone who has it can pose as your server):\n"
      "  {}\n\n"
      "Before it expires: sotto certs --renew with the same folder and hosts. Devices keep ca.pem.\n",
      fmt::join(options.hosts, ", "), fmt::gmtime(static_cast<std::time_t>(last_s)), files.server.string(),
      files.server_key.string(), files.ca.string(), files.ca_key.string()));
}

Status make_certs(CertsOptions& options, const Console& console) {
  const std::int64_t now_s = std::time(nullptr);
  const CertFiles files{fs::path(options.out)};
  SOTTO_TRY(const bool has_server, is_there(files.server));
  if (has_server && !options.renew)
    return fail(Code::bad_input, fmt::format("{} exists: --renew replaces it and its key, and the CA stays",
                                             files.server.string()));
  SOTTO_TRY_DONE(check_hosts(options.hosts));  // before anything is written
  SOTTO_TRY_DONE(make_folder(options.out));
  SOTTO_TRY(const PemPair ca, ca_of(files, options, now_s));
  SOTTO_TRY(const PemPair server,
            make_server_certificate(ca, options.hosts, {.now_s = now_s, .days = options.days}));
  SOTTO_TRY_DONE(write_key(files.server_key, server.key));
  SOTTO_TRY_DONE(write_file(files.server, server.certificate));
  SOTTO_TRY(const std::int64_t last_s, valid_until_s({files.server.string(), server.certificate}));
  if (!options.common.json) return print_files(files, options, last_s, console), Done{};
  print_json(console, {{"ca", files.ca.string()},
                       {"ca_key", files.ca_key.string()},
                       {"certificate", files.server.string()},
                       {"key", files.server_key.string()},
                       {"hosts", options.hosts},
                       {"valid_until_s", last_s}});
  return Done{};
}

}  // namespace

void add_certs(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<CertsOptions>(
      root, cli, "certs", "make a CA and a server's certificate for a first coordinator", make_certs);
  app->add_option("-o,--out", options->out, "the folder to write them to")->type_name("DIR")->required();
  app->add_option("--host", options->hosts, "names and IP addresses under which devices reach the server")
      ->type_name("NAME|IP")
      ->required()
      ->expected(1, 100);
  app->add_option("--days", options->days, "how long the server's certificate is valid")->default_str("365");
  app->add_option("--ca-days", options->ca_days, "how long a new CA is valid")->default_str("3650");
  app->add_flag("--renew", options->renew, "replace the server's certificate; the CA stays");
  add_common_options(*app, options->common, "has no effect here: keys come from the system's generator");
  app->footer(examples({"sotto certs --out certs --host localhost 127.0.0.1",
                        "sotto certs --out certs --host sotto.example.org --days 90 --renew"}));
}

}  // namespace sotto::cli
