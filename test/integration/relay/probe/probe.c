/*
 * What a hostile command would try, one attempt for each argument, one line with its
 * outcome for each attempt:
 *   socket:<family> socketpair call:<name> x32 i386 lift scopes abstract:<name>
 *   signal:<pid> descriptor:<number> tcp:<address>:<port>[@<device>]
 *   udp:<address>:<port>[@<device>] packet:<address>:<port>@<device> broadcast ping
 *   udp6:<address> (a route there is enough) listen:<port> (stays)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* What names its device is not expected to be answered. */
enum { ANSWER_LIMIT_MS = 3000, DEVICE_LIMIT_MS = 300 };

static const char *outcome(long result) {
  if (result >= 0) {
    return "ok";
  }
  switch (errno) {
    case EACCES: return "EACCES";
    case EAFNOSUPPORT: return "EAFNOSUPPORT";
    case EBADF: return "EBADF";
    case ECONNREFUSED: return "ECONNREFUSED";
    case EHOSTUNREACH: return "unreachable";
    case EINVAL: return "EINVAL";
    case ENETUNREACH: return "unreachable";
    case ENOSYS: return "ENOSYS";
    case EPERM: return "EPERM";
    case ETIMEDOUT: return "silence";
    default: return strerror(errno);
  }
}

static long try_call(const char *name) {
  const struct {
    const char *name;
    long number;
  } calls[] = {
      {"io_uring_setup", 425},       {"io_uring_enter", 426},
      {"io_uring_register", 427},    {"bpf", SYS_bpf},
      {"keyctl", SYS_keyctl},        {"add_key", SYS_add_key},
      {"request_key", SYS_request_key}, {"perf_event_open", SYS_perf_event_open},
      {"userfaultfd", SYS_userfaultfd}, {"kexec_load", SYS_kexec_load},
      {"kexec_file_load", SYS_kexec_file_load}, {"open_by_handle_at", SYS_open_by_handle_at},
      {"syslog", SYS_syslog},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    if (strcmp(name, calls[index].name) == 0) {
      return syscall(calls[index].number, 0, 0, 0, 0, 0);
    }
  }
  errno = ESRCH;
  return -1;
}

#if defined(__x86_64__)
static long try_x32(void) {
  return syscall(0x40000000 + SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static sigjmp_buf after_fault;

static void leave_fault(int number) {
  siglongjmp(after_fault, number);
}

/* The system call of 32-bit programs, from this one: 359 is their socket(). A kernel without them faults. */
static long try_i386(void) {
  signal(SIGSEGV, leave_fault);
  if (sigsetjmp(after_fault, 1) != 0) {
    errno = ENOSYS;
    return -1;
  }
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(359), "b"(AF_INET), "c"(SOCK_STREAM), "d"(0) : "memory", "r8", "r9", "r10", "r11");
  errno = result < 0 ? (int)-result : 0;
  return result;
}
#else
static long try_x32(void) {
  errno = ENOSYS;
  return -1;
}
static long try_i386(void) {
  return try_x32();
}
#endif

/* Every way to get rid of the filter that there might be, and then a socket. */
static long try_lift(void) {
  struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {1, allow};
  prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, NULL);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  return socket(AF_INET, SOCK_STREAM, 0);
}

/* Whether this kernel's Landlock can scope signals and abstract sockets. */
static long try_scopes(void) {
  const long version = syscall(444, NULL, 0, 1);
  errno = version >= 0 ? ENOSYS : errno;
  return version >= 6 ? 0 : -1;
}

static long try_abstract(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path + 1, name, strlen(name));
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, size);
}

static long wait_for(int descriptor, short events, int limit_ms) {
  struct pollfd watched = {.fd = descriptor, .events = events};
  if (poll(&watched, 1, limit_ms) == 1) {
    return 0;
  }
  errno = ETIMEDOUT;
  return -1;
}

static long try_tcp(int descriptor, const struct sockaddr_in *to, int limit_ms) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  const int result = connect(descriptor, (const struct sockaddr *)to, sizeof *to);
  if (result == 0 || errno != EINPROGRESS) {
    return result;
  }
  if (wait_for(descriptor, POLLOUT, limit_ms) != 0) {
    return -1;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 ? 0 : -1;
}

/* Ok when an answer comes. With a packet, the device is named for this one datagram only. */
static long try_udp(int descriptor, const struct sockaddr_in *to, const char *packet_device, int limit_ms) {
  char byte = 'x';
  struct iovec bytes = {&byte, 1};
  union {
    char bytes[CMSG_SPACE(sizeof(struct in_pktinfo))];
    struct cmsghdr header;
  } control = {.header = {.cmsg_level = IPPROTO_IP, .cmsg_type = IP_PKTINFO,
                          .cmsg_len = CMSG_LEN(sizeof(struct in_pktinfo))}};
  const struct in_pktinfo info = {
      .ipi_ifindex = packet_device == NULL ? 0 : (int)if_nametoindex(packet_device)};
  memcpy(CMSG_DATA(&control.header), &info, sizeof info);
  const struct msghdr message = {
      .msg_name = (void *)to, .msg_namelen = sizeof *to, .msg_iov = &bytes, .msg_iovlen = 1,
      .msg_control = packet_device == NULL ? NULL : &control,
      .msg_controllen = packet_device == NULL ? 0 : sizeof control,
  };
  const ssize_t sent = sendmsg(descriptor, &message, packet_device == NULL ? 0 : MSG_DONTROUTE);
  return sent < 0 || wait_for(descriptor, POLLIN, limit_ms) != 0 ? -1 : recv(descriptor, &byte, 1, 0);
}

static long try_network(const char *kind, const char *target) {
  char address[64] = "";
  char device[IF_NAMESIZE] = "";
  unsigned port = 0;
  sscanf(target, "%63[0-9.]:%u@%15s", address, &port, device);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address, &to.sin_addr);
  const int is_packet = strcmp(kind, "packet") == 0;
  const int is_tcp = strcmp(kind, "tcp") == 0;
  const int descriptor = socket(AF_INET, is_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
  if (device[0] != '\0' && !is_packet &&
      setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)strlen(device) + 1) != 0) {
    return -1;
  }
  const int limit_ms = device[0] != '\0' ? DEVICE_LIMIT_MS : ANSWER_LIMIT_MS;
  const long result =
      is_tcp ? try_tcp(descriptor, &to, limit_ms)
             : try_udp(descriptor, &to, is_packet ? device : NULL, limit_ms);
  const int error = errno;
  close(descriptor);
  errno = error;
  return result;
}

static long try_broadcast(void) {
  const int yes = 1;
  return setsockopt(socket(AF_INET, SOCK_DGRAM, 0), SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
}

static long try_connect_6(const char *address) {
  struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
  inet_pton(AF_INET6, address, &to.sin6_addr);
  return connect(socket(AF_INET6, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to);
}

/* From the address that was asked, as a name server does. */
static void answer_datagram(int datagrams) {
  char byte;
  char control[128];
  struct sockaddr_in from;
  struct iovec bytes = {&byte, 1};
  struct msghdr message = {
      .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &bytes, .msg_iovlen = 1,
      .msg_control = control, .msg_controllen = sizeof control,
  };
  if (recvmsg(datagrams, &message, 0) < 1) {
    return;
  }
  struct in_pktinfo *info = (struct in_pktinfo *)CMSG_DATA(CMSG_FIRSTHDR(&message));
  info->ipi_spec_dst = info->ipi_addr;
  info->ipi_ifindex = 0;
  sendmsg(datagrams, &message, 0);
}

/* Answers every connection and every datagram. */
static void listen_on(unsigned port) {
  const struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  const int yes = 1;
  const int stream = socket(AF_INET, SOCK_STREAM, 0);
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(datagrams, IPPROTO_IP, IP_PKTINFO, &yes, sizeof yes);
  bind(stream, (const struct sockaddr *)&at, sizeof at);
  bind(datagrams, (const struct sockaddr *)&at, sizeof at);
  listen(stream, 64);
  for (;;) {
    struct pollfd watched[] = {{.fd = stream, .events = POLLIN}, {.fd = datagrams, .events = POLLIN}};
    poll(watched, 2, -1);
    if (watched[0].revents != 0) {
      close(accept(stream, NULL, NULL));
    }
    if (watched[1].revents != 0) {
      answer_datagram(datagrams);
    }
  }
}

static long attempt(const char *kind, const char *target) {
  if (strcmp(kind, "socket") == 0) return socket(atoi(target), atoi(target) == AF_PACKET ? SOCK_RAW : SOCK_DGRAM, 0);
  if (strcmp(kind, "socketpair") == 0) return socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0});
  if (strcmp(kind, "call") == 0) return try_call(target);
  if (strcmp(kind, "x32") == 0) return try_x32();
  if (strcmp(kind, "i386") == 0) return try_i386();
  if (strcmp(kind, "lift") == 0) return try_lift();
  if (strcmp(kind, "scopes") == 0) return try_scopes();
  if (strcmp(kind, "abstract") == 0) return try_abstract(target);
  if (strcmp(kind, "signal") == 0) return kill(atoi(target), 0);
  if (strcmp(kind, "descriptor") == 0) return fcntl(atoi(target), F_GETFD);
  if (strcmp(kind, "broadcast") == 0) return try_broadcast();
  if (strcmp(kind, "ping") == 0) return socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
  if (strcmp(kind, "udp6") == 0) return try_connect_6(target);
  if (strcmp(kind, "listen") == 0) listen_on((unsigned)atoi(target));
  return try_network(kind, target);
}

int main(int count, char **arguments) {
  for (int index = 1; index < count; index++) {
    char kind[16] = "";
    sscanf(arguments[index], "%15[^:]", kind);
    const char *target = strchr(arguments[index], ':');
    const long result = attempt(kind, target == NULL ? "" : target + 1);
    printf("%s %s\n", arguments[index], outcome(result));
    fflush(stdout);
  }
  return 0;
}
