// For tests: kill -9 right before the n-th write. A child does the work, watched by its parent, which sees
// every call that changes a file, a name or what is on the disk.
//
// Law: the same work on the same bytes is killed at the same place; before write n = 1 nothing has happened,
// and from the n on that is one more than there are writes, it finishes.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace sotto::device {

enum class WorkEnd : std::uint8_t { killed, done, failed };

[[nodiscard]] inline bool is_write(const __ptrace_syscall_info& call) {
  switch (call.entry.nr) {
    case SYS_openat:
      return (call.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fsync:
    case SYS_fdatasync:
#ifdef SYS_rename
    case SYS_rename:
    case SYS_unlink:
    case SYS_mkdir:
#endif
    case SYS_renameat:
    case SYS_unlinkat:
    case SYS_mkdirat:
      return true;
    default:
      return false;
  }
}

// `work` returns whether it went well.
[[nodiscard]] inline WorkEnd killed_at_write(unsigned n, const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status) ||
      ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    throw std::runtime_error("this system lets no process watch its child");
  }
  for (unsigned writes = 0; WIFSTOPPED(status);) {
    __ptrace_syscall_info call{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) > 0 &&
        call.op == PTRACE_SYSCALL_INFO_ENTRY && is_write(call) && ++writes == n)
      ::kill(child, SIGKILL);
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) {
      ::waitpid(child, &status, 0);
      break;
    }
    ::waitpid(child, &status, 0);
  }
  if (WIFSIGNALED(status)) return WorkEnd::killed;
  return WEXITSTATUS(status) == 0 ? WorkEnd::done : WorkEnd::failed;
}

}  // namespace sotto::device
