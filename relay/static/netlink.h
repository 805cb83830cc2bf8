/* Asking the kernel to change the routes of the own network namespace. */
#ifndef NETLINK_H
#define NETLINK_H

#include <linux/fib_rules.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request {
  struct nlmsghdr header;
  char body[1024];
};

/* A socket to the kernel; -1 with errno. */
int netlink_open(void);
void request_start(struct request *request, uint16_t type, uint16_t flags, const void *header, size_t size);
void request_add(struct request *request, uint16_t attribute, const void *value, size_t size);
void request_add_u32(struct request *request, uint16_t attribute, uint32_t value);
/* Sends it and waits for the kernel's answer: 0, or errno. */
int request_send(int netlink, struct request *request);
/* Calls `take` with every answer to a question about a family. 0, or errno. */
typedef void (*take_message)(const struct nlmsghdr *message, void *context);
int netlink_list(int netlink, uint16_t type, unsigned char family, take_message take, void *context);
/* The value of an attribute; NULL when there is none of that size. */
const void *attribute_of(const struct nlmsghdr *message, size_t header_size, uint16_t attribute, size_t size);

#endif
