/*
 * The system call filter. It closes what namespaces leave open: socket families that no network namespace
 * holds (vsock reaches the hypervisor), kernel keyrings, and io_uring, which opens sockets past any filter.
 * For a command without a network it leaves Unix sockets alone. The same list as in
 * runtime/process/render-seccomp.ts.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "relay.h"

#ifndef MSG_FASTOPEN
#define MSG_FASTOPEN 0x20000000
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of system calls are known for x86-64 and arm64 only"
#endif

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif

/* The first of the second set of numbers that x86-64 has (x32). */
#define X32_BIT 0x40000000u

enum { MOST_INSTRUCTIONS = 96, SOCKET_TYPE_MASK = 0xf };

struct program {
  unsigned short length;
  struct sock_filter instructions[MOST_INSTRUCTIONS];
};

static const int refused_calls[] = {
    SYS_add_key,       SYS_request_key,     SYS_keyctl,          SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd,   SYS_kexec_load,      SYS_kexec_file_load,
    SYS_open_by_handle_at, SYS_syslog,      SYS_io_uring_setup,  SYS_io_uring_enter,
    SYS_io_uring_register,
};

static void add(struct program *program, unsigned short code, uint8_t if_true, uint8_t if_false,
                uint32_t value) {
  program->instructions[program->length++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void answer(struct program *program, uint32_t value) {
  add(program, BPF_RET | BPF_K, 0, 0, value);
}

/* Returns when the test holds, else continues. */
static void answer_when(struct program *program, unsigned short test, uint32_t value, uint32_t given) {
  add(program, BPF_JMP | test | BPF_K, 0, 1, value);
  answer(program, given);
}

static void answer_unless(struct program *program, unsigned short test, uint32_t value, uint32_t given) {
  add(program, BPF_JMP | test | BPF_K, 1, 0, value);
  answer(program, given);
}

static uint32_t refuse_with(int error) {
  return SECCOMP_RET_ERRNO | (uint32_t)error;
}

/* A datagram to everybody on the link is the one that no route stops (relay network-policy). */
static void refuse_broadcasts(struct program *program) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 6, SYS_setsockopt);
  load(program, offsetof(struct seccomp_data, args[1]));
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SOL_SOCKET);
  load(program, offsetof(struct seccomp_data, args[2]));
  answer_when(program, BPF_JEQ, SO_BROADCAST, refuse_with(EACCES));
  answer(program, SECCOMP_RET_ALLOW);
}

/* TCP over IPv4 or IPv6, and no other protocol, which could send without a connection. */
static void write_tcp_checks(struct program *program) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, AF_INET6);
  answer_unless(program, BPF_JEQ, AF_INET, refuse_with(EAFNOSUPPORT));
  load(program, offsetof(struct seccomp_data, args[1]));
  add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, SOCKET_TYPE_MASK);
  answer_unless(program, BPF_JEQ, SOCK_STREAM, refuse_with(EAFNOSUPPORT));
  load(program, offsetof(struct seccomp_data, args[2]));
  answer_when(program, BPF_JEQ, 0, SECCOMP_RET_ALLOW);
  answer_when(program, BPF_JEQ, IPPROTO_TCP, SECCOMP_RET_ALLOW);
  answer(program, refuse_with(EAFNOSUPPORT));
}

/* Netlink is what the C library asks for the addresses of its own namespace. */
static void write_family_checks(struct program *program, enum network network) {
  /*
   * The family is an int: the kernel looks at these 32 bits of the argument, too. Both
   * architectures are little-endian.
   */
  load(program, offsetof(struct seccomp_data, args[0]));
  answer_when(program, BPF_JEQ, AF_UNIX, SECCOMP_RET_ALLOW);
  if (network == NETWORK_NONE) {
    answer(program, refuse_with(EAFNOSUPPORT));
    return;
  }
  answer_when(program, BPF_JEQ, AF_NETLINK, SECCOMP_RET_ALLOW);
  if (network == NETWORK_LISTEN) {
    write_tcp_checks(program);
    return;
  }
  answer_when(program, BPF_JEQ, AF_INET6, SECCOMP_RET_ALLOW);
  answer_unless(program, BPF_JEQ, AF_INET, refuse_with(EAFNOSUPPORT));
  if (network == NETWORK_RESTRICTED) {
    /* The network policy lets the reports of routers in, and with them pings out. */
    load(program, offsetof(struct seccomp_data, args[2]));
    answer_when(program, BPF_JEQ, IPPROTO_ICMP, refuse_with(EACCES));
  }
  answer(program, SECCOMP_RET_ALLOW);
}

static void write_program(struct program *program, enum network network) {
  load(program, offsetof(struct seccomp_data, arch));
  answer_unless(program, BPF_JEQ, ARCHITECTURE, refuse_with(ENOSYS));
  load(program, offsetof(struct seccomp_data, nr));
  answer_when(program, BPF_JGE, X32_BIT, refuse_with(ENOSYS));
  for (size_t index = 0; index < sizeof refused_calls / sizeof *refused_calls; index++) {
    answer_when(program, BPF_JEQ, (uint32_t)refused_calls[index], refuse_with(ENOSYS));
  }
  if (network == NETWORK_RESTRICTED) {
    refuse_broadcasts(program);
  }
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_socket);
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_socketpair);
  answer(program, SECCOMP_RET_ALLOW);
  write_family_checks(program, network);
}

static int install_filter(struct program *program) {
  const struct sock_fprog filter = {.len = program->length, .filter = program->instructions};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}

int install_system_call_filter(enum network network) {
  static struct program program;
  write_program(&program, network);
  return install_filter(&program);
}

/* The first packet of a connection may carry data: then no connect(2) comes before it. */
static void refuse_fast_open(struct program *program, uint32_t call, size_t flags_offset) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, call);
  load(program, flags_offset);
  answer_when(program, BPF_JSET, MSG_FASTOPEN, refuse_with(EACCES));
  answer(program, SECCOMP_RET_ALLOW);
}

/*
 * The address is behind a pointer, which no filter follows: so Unix sockets are refused as well. Numbers of
 * other architectures are refused already.
 */
int refuse_connections(void) {
  static struct program program;
  load(&program, offsetof(struct seccomp_data, nr));
  answer_when(&program, BPF_JEQ, SYS_connect, refuse_with(EACCES));
  refuse_fast_open(&program, SYS_sendto, offsetof(struct seccomp_data, args[3]));
  refuse_fast_open(&program, SYS_sendmsg, offsetof(struct seccomp_data, args[2]));
  refuse_fast_open(&program, SYS_sendmmsg, offsetof(struct seccomp_data, args[3]));
  answer(&program, SECCOMP_RET_ALLOW);
  const int error = install_filter(&program);
  if (error != 0) {
    return error;
  }
  return connect(-1, NULL, 0) != 0 && errno == EACCES ? 0 : ENOSYS;
}
