// HttpEndpoint: a few read-only pages over plain HTTP, for Prometheus, load balancers and people.
//
// Laws: GET and HEAD alone; a page is made anew for each request by its function, which several threads may
// call; threads, waiting connections, what a request may weigh and how long it may take from its first byte
// to the answer's last are bounded, so that a few slow clients keep nobody else waiting. There is no TLS and
// no login here: it listens on the loopback unless told otherwise, and its pages hold nobody's data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/address.h"

namespace sotto::net {

struct HttpPage {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};
// By path: "/metrics".
using HttpPages = std::map<std::string, std::function<HttpPage()>>;

class HttpEndpoint {
 public:
  // "host:port"; port 0 takes a free one. A request may take so long in all.
  [[nodiscard]] static Result<std::unique_ptr<HttpEndpoint>> start(const std::string& address,
                                                                   HttpPages pages, int patience_ms = 5'000);
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;
  ~HttpEndpoint();  // answers what it has begun, then stops

  [[nodiscard]] const Address& address() const;

 private:
  class Listener;
  explicit HttpEndpoint(std::unique_ptr<Listener> listener);
  std::unique_ptr<Listener> listener_;
};

}  // namespace sotto::net
