/* Asking the kernel to change the routes of the own network namespace. */
#include "netlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { ANSWER_BYTES = 64 * 1024 };

int netlink_open(void) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

void request_start(struct request *request, uint16_t type, uint16_t flags, const void *header, size_t size) {
  memset(request, 0, sizeof *request);
  request->header = (struct nlmsghdr){
      .nlmsg_len = (uint32_t)NLMSG_SPACE(size),
      .nlmsg_type = type,
      .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
  };
  memcpy(request->body, header, size);
}

void request_add(struct request *request, uint16_t attribute, const void *value, size_t size) {
  const struct rtattr header = {.rta_len = (uint16_t)RTA_LENGTH(size), .rta_type = attribute};
  char *at = (char *)request + request->header.nlmsg_len;
  memcpy(at, &header, sizeof header);
  memcpy(at + RTA_LENGTH(0), value, size);
  request->header.nlmsg_len += (uint32_t)RTA_SPACE(size);
}

void request_add_u32(struct request *request, uint16_t attribute, uint32_t value) {
  request_add(request, attribute, &value, sizeof value);
}

int request_send(int netlink, struct request *request) {
  request->header.nlmsg_flags |= NLM_F_ACK;
  if (send(netlink, request, request->header.nlmsg_len, 0) < 0) {
    return errno;
  }
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char request[sizeof(struct request)];
  } answer;
  const ssize_t size = recv(netlink, &answer, sizeof answer, 0);
  if (size < 0) {
    return errno;
  }
  if ((size_t)size < sizeof answer.header + sizeof answer.error || answer.header.nlmsg_type != NLMSG_ERROR) {
    return EPROTO;
  }
  return -answer.error.error;
}

/* 1 at the end of the list, 0 when more comes, or the negative errno. */
static int take_all(const struct nlmsghdr *message, size_t size, take_message take, void *context) {
  for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
    if (message->nlmsg_type == NLMSG_DONE) {
      return 1;
    }
    if (message->nlmsg_type == NLMSG_ERROR) {
      return ((const struct nlmsgerr *)NLMSG_DATA(message))->error;
    }
    take(message, context);
  }
  return 0;
}

int netlink_list(int netlink, uint16_t type, unsigned char family, take_message take, void *context) {
  const struct rtmsg header = {.rtm_family = family};
  struct request request;
  request_start(&request, type, NLM_F_DUMP, &header, sizeof header);
  if (send(netlink, &request, request.header.nlmsg_len, 0) < 0) {
    return errno;
  }
  static char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
  for (;;) {
    const ssize_t size = recv(netlink, answer, sizeof answer, MSG_TRUNC);
    if (size < 0 || (size_t)size > sizeof answer) {
      return size < 0 ? errno : EMSGSIZE;
    }
    const int outcome = take_all((const struct nlmsghdr *)answer, (size_t)size, take, context);
    if (outcome != 0) {
      return outcome < 0 ? -outcome : 0;
    }
  }
}

const void *attribute_of(const struct nlmsghdr *message, size_t header_size, uint16_t attribute,
                         size_t size) {
  const char *first = (const char *)message + NLMSG_SPACE(header_size);
  long left = (long)message->nlmsg_len - (long)NLMSG_SPACE(header_size);
  for (const struct rtattr *at = (const struct rtattr *)first; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
    if (at->rta_type == attribute && RTA_PAYLOAD(at) == size) {
      return RTA_DATA(at);
    }
  }
  return NULL;
}
