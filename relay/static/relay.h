/*
 * The parts of the relay. One thread, no allocation after the start;
 * docs/decisions/0012-static-relay.md says why it is C.
 */
#ifndef RELAY_H
#define RELAY_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Exit codes beside those of the command: of sysexits(3), and of a shell for what cannot be started. */
enum {
  EXIT_USAGE = 2,
  EXIT_NO_SOCKET = 69,
  EXIT_NOT_NARROWED = 70,
  EXIT_NOT_EXECUTABLE = 126,
  EXIT_NOT_FOUND = 127,
  EXIT_SIGNAL_BASE = 128,
};

/* report.c: one line on standard error, after "relay: ". */
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);
/* "ENOENT (No such file or directory)". The text lasts until the next call. */
const char *error_text(int error);
/* "ENOENT"; NULL for one that is not known. */
const char *error_name(int error);
/* Of the clock that never goes back. */
long long now_ms(void);

/* signals.c: nothing is handled asynchronously; signals wait until the relay takes them. */
void signals_hold(void);
/* What the relay found when it started; for the command. */
void signals_restore(void);
/* A descriptor that becomes readable when a signal waits; -1 with errno. */
int signals_open(void);
/* The next signal that waits, 0 when there is none within the time (-1: for ever, 0: at once). */
int signals_next(int timeout_ms);
bool is_stop(int signal_number);

/* process.c */
struct child {
  pid_t pid;
  bool has_ended;
  /* As wait(2) gives it. */
  int status;
  /* Why it could not be started; 0 when it was. */
  int start_error;
};
/* Starts a command in a process group of its own. A descriptor of -1 means the relay's own. */
void child_start(struct child *child, char *const command[], int input, int output, int errors);
/* "SIGKILL", or for one that is not known something else. */
const char *signal_name(int number);
/* A second child, beside the one that is passed to `reap`. */
void watch_other_child(struct child *child);
/* Takes over every process that has ended. With the child its whole group ends. `child` may be NULL. */
void reap(struct child *child);
void signal_group(const struct child *child, int signal_number);
/* Ends whatever still descends from the relay, also what left its group. */
void end_descendants(void);
/*
 * As a shell has it: 128 and the signal's number for a killed process, 127 and 126 for one
 * that could not be started.
 */
int exit_code_of(const struct child *child);
/* "exit code 3", "SIGKILL" or why it could not be started. The text lasts until the next call. */
const char *ending_of(const struct child *child);
void report_start_error(const struct child *child, const char *command);
/* From here on the orphans of descendants are the relay's to take over, also when it is not PID 1. */
void adopt_orphans(void);

/* connect.c */
enum { SOCKET_PATH_MAX_BYTES = 107 };
/* A connected socket, or -1 with errno. Does not wait. */
int connect_once(const char *path);
/* Waits for a listener. -1: reported. -2: a stop signal came. */
int connect_in_time(const char *path, int limit_ms);
/*
 * Waits until the path is there and, as a socket, takes connections. 0, or the exit code, which was
 * reported or is a signal's.
 */
int wait_for_path(const char *path, int limit_ms);

/*
 * pump.c: bytes in one direction. It reads only when everything before was written: that is the backpressure.
 */
enum sink { SINK_NONBLOCKING, SINK_SOCKET, SINK_SHARED };
struct pump {
  int from;
  int to;
  enum sink sink;
  bool has_source_ended;
  /* There is no reader any more: what comes is dropped, so that the end of the source is still seen. */
  bool is_sink_broken;
  size_t start;
  size_t end;
  char bytes[64 * 1024];
};
/*
 * What poll(2) shall watch. A descriptor that nothing is wanted of is left out: its hang-up
 * would come over and over.
 */
struct pollfd watch(int descriptor, bool reads, bool writes);
void pump_open(struct pump *pump, int from, int to, enum sink sink);
bool pump_wants_input(const struct pump *pump);
bool pump_wants_output(const struct pump *pump);
/* Moves what can be moved now. */
void pump_move(struct pump *pump, bool is_readable);
/* The source ended and nothing is left to write. */
bool pump_is_done(const struct pump *pump);

/* copy.c: pairs of connections, copied both ways without ever waiting for one. */
enum copy_kind { COPY_DIALED, COPY_LISTENED };
enum { MOST_COPIES_OF_A_KIND = 64, MOST_COPIES = 2 * MOST_COPIES_OF_A_KIND };
bool copy_has_place(enum copy_kind kind);
/*
 * Only when there is a place. Both descriptors are its own from here on; the one that answers
 * may still be connecting.
 */
void copy_begin(enum copy_kind kind, int asking_fd, int answering_fd, bool is_connected);
void copy_watch(struct pollfd *watched, int *count);
void copy_move(const struct pollfd *watched);
/* When there is something to do without anything that arrives; LLONG_MAX: never. */
long long copy_next_at(void);
bool copy_is_any(void);
/* Where it is watched; -1: it is not. */
int watch_also(struct pollfd *watched, int *count, struct pollfd each);
short found_at(const struct pollfd *watched, int at);

/* forward.c: connections to and from the loopback of this container. */
enum { MOST_LISTENERS = 20, FORWARD_WATCHED = 1 + MOST_LISTENERS + 2 * MOST_COPIES };
/* `path`: a socket of the sidecar; `port`: of the loopback. Without it nothing is forwarded. */
void forward_open(const char *path, int port, bool announced);
/* At most MOST_LISTENERS. False with errno. */
bool listen_open(int port, const char *path);
/* A descriptor that is connected, or will be; -1 with errno. */
int connect_to_loopback(int port, bool *is_connected);
/* How many there are to watch. */
int forward_watch(struct pollfd watched[FORWARD_WATCHED]);
/* Moves what can be moved now. */
void forward_move(const struct pollfd watched[FORWARD_WATCHED]);
/* `most_ms`, or what is left until there is something to do; -1: for ever. */
int forward_time_left_ms(int most_ms);
/* The same until a time; LLONG_MAX: there is none. */
int left_until_ms(long long at, int most_ms);
/* What the ended service wrote: sent within half a second, or left out. */
void forward_finish(void);

/* ready.c */
/* One of both: a port of the loopback, or a command, which ends with NULL. Without it nobody is told. */
void ready_open(int port, char *const command[]);
struct pollfd ready_watch(void);
/* Does what can be done now. */
void ready_move(short found);
int ready_time_left_ms(int most_ms);

/* forms.c: how many bytes of the text a value takes in a form, if it stands at its beginning. */
enum { MATCH_MORE = -1 };
enum form { FORM_PLAIN, FORM_URL, FORM_JSON, FORM_HEX, FORM_BASE64, FORM_COUNT = FORM_BASE64 + 3 };
/* 0: it does not stand there; MATCH_MORE: the text ends before that can be said. */
int match_form(enum form form, const unsigned char *value, size_t size, const unsigned char *bytes,
               size_t text_size);

/* redaction.c */
enum { REDACTION_KEPT_BYTES = 8 * 1024, REDACTION_TEXT_BYTES = REDACTION_KEPT_BYTES + 16 * 1024 };
typedef void show_bytes(const char *bytes, size_t size);
/* The variables whose values are redacted; ends with NULL. */
void redaction_open(char *const names[]);
/* At most REDACTION_TEXT_BYTES - REDACTION_KEPT_BYTES. Keeps back what may be the beginning of a value. */
void redaction_push(const char *bytes, size_t size, show_bytes *show);
void redaction_end(show_bytes *show);

/*
 * log.c: our own standard error, without ever waiting for it. Only to be written to when it is done:
 * then all of one read fits.
 */
enum { LOG_BYTES = 8 * REDACTION_TEXT_BYTES };
void log_write(const char *bytes, size_t size);
void log_move(void);
bool log_is_done(void);
struct pollfd log_watch(void);

/*
 * tell.c: the sidecar's report socket, without ever waiting for it. Of output that it does not take,
 * the last 64 KiB are kept.
 */
void tell_open(const char *path);
bool tells(void);
void tell_output(const char *bytes, size_t size);
/* Sent after the output so far. */
__attribute__((format(printf, 1, 2))) void tell_claim(const char *format, ...);
/* Sent before it; not at all once something else is claimed. */
void tell_ready(void);
void tell_move(void);
bool tell_is_done(void);
struct pollfd tell_watch(void);
/* `most_ms`, or what is left until the next attempt to connect; -1: for ever. */
int tell_time_left_ms(int most_ms);

/* output.c */
struct output {
  /* Our end, or -1. */
  int fd;
  /* For the command, or -1: then it has our own. */
  int child_fd;
};
/*
 * `path`: the sidecar's report socket, or NULL: then nothing is reported. What the command writes is reported
 * too if it is taken; else it writes to our standard error itself.
 */
void output_open(const char *path, bool is_taken, char *const secrets[]);
/* False with errno. */
bool output_pipe(struct output *output);
/* The command has its end now. */
void output_started(struct output *output);
enum { OUTPUT_WATCHED = 3 };
void output_watch(const struct output *output, struct pollfd watched[OUTPUT_WATCHED]);
/* Moves what can be moved now. */
void output_move(struct output *output, const struct pollfd watched[OUTPUT_WATCHED]);
/* `most_ms`, or what is left until there is something to do; -1: for ever. */
int output_time_left_ms(int most_ms);
void output_report_start(void);
/* The last of the output, and how the command ended: sent within half a second, or left out. */
void output_report_end(struct output *output, const struct child *child);
void output_close(struct output *output);

/* The modes; each returns the exit code. */
int bridge(const char *path);
int serve(const char *path, char *const command[]);
struct listen {
  int port;
  const char *path;
};
struct run_options {
  /* NULL: it waits for none. */
  const char *wait_path;
  int wait_limit_ms;
  struct listen listens[MOST_LISTENERS];
  int listen_count;
};
int run(const struct run_options *options, char *const command[]);
int supervise(int restarts, char *const command[]);
int install(const char *root, char *const directories[]);
int apply_network_policy(char *const dns_servers[], char *const destinations[]);

/* narrow.c */
/* NETWORK_LISTEN: none, but for TCP connections that the command takes; it opens none, not even to itself. */
enum network { NETWORK_GENERAL, NETWORK_RESTRICTED, NETWORK_LISTEN, NETWORK_NONE };
/*
 * Irrevocable, for the relay and all that descends from it. 0, or the exit code: reported, nothing may run.
 */
int narrow_network(enum network network);
/*
 * What is for the command alone, since the relay itself connects. In the child, before it becomes
 * the command. 0, or errno.
 */
int narrow_command(void);
/* As irrevocable. 0, or the exit code: reported, nothing may run. */
int limit_file_size(long bytes);
/* seccomp.c: 0, or errno. */
int install_system_call_filter(enum network network);
int refuse_connections(void);
/* landlock.c: as far as the kernel can. */
void scope_signals_and_abstract_sockets(void);
/*
 * network-policy-check.c: waits until the namespace is restricted. 0, or the exit code:
 * reported, or a signal's.
 */
int wait_for_network_policy(int limit_ms);

#endif
