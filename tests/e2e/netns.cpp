#include "tests/e2e/netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/assert.h"

namespace sotto::tests::e2e {

namespace {

int own_namespace() { return ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }

}  // namespace

Result<Namespace> Namespace::make() {
  const int before = own_namespace();
  if (before < 0) return fail(Code::io, "this system has no network namespaces");
  if (::unshare(CLONE_NEWNET) != 0) {
    const int why = errno;
    ::close(before);
    return fail(Code::io, fmt::format("this process may not make network namespaces ({}): root may",
                                      std::system_category().message(why)));
  }
  Namespace made(own_namespace());
  SOTTO_ASSERT(::setns(before, CLONE_NEWNET) == 0, "the way back is open");
  ::close(before);
  SOTTO_TRY_DONE(made.ip("link set lo up"));
  return made;
}

Namespace::Namespace(Namespace&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Namespace::~Namespace() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Namespace::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_); }

Status Namespace::ip(const std::string& words) const {
  const Inside inside(*this);
  // Where the administrator's programs are is not in everybody's PATH.
  std::FILE* out = ::popen(("PATH=$PATH:/usr/sbin:/sbin ip " + words + " 2>&1").c_str(), "re");
  if (out == nullptr) return fail(Code::io, "no program can be started");
  std::string said;
  for (int letter; (letter = std::fgetc(out)) != EOF;) said += static_cast<char>(letter);
  const int status = ::pclose(out);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Done{};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return fail(Code::io, "the program 'ip' is not there: './dev deps all' installs it (iproute2)");
  return fail(Code::io, fmt::format("'ip {}' failed: {}", words, said));
}

Inside::Inside(const Namespace& where) : before_(own_namespace()) {
  SOTTO_ASSERT(before_ >= 0 && ::setns(where.descriptor(), CLONE_NEWNET) == 0, "the namespace is ours");
}

Inside::~Inside() {
  SOTTO_ASSERT(::setns(before_, CLONE_NEWNET) == 0, "the way back is open");
  ::close(before_);
}

Status join(const WireEnd& one, const WireEnd& other) {
  SOTTO_TRY_DONE(one.where.ip(fmt::format("link add {} type veth peer name {} netns {}", one.device,
                                          other.device, other.where.path())));
  for (const WireEnd& end : {one, other}) {
    SOTTO_TRY_DONE(end.where.ip(fmt::format("address add {} dev {}", end.address, end.device)));
    SOTTO_TRY_DONE(end.where.ip(fmt::format("link set {} up", end.device)));
  }
  return Done{};
}

}  // namespace sotto::tests::e2e
