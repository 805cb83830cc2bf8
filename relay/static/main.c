/* The relay's command line. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "relay.h"

enum { MOST_DNS_SERVERS = 8, MOST_DESTINATIONS = 32, DEFAULT_WAIT_LIMIT_MS = 60000, DEFAULT_RESTARTS = 3,
       MOST_RESTARTS = 1000 };
enum { MOST_READY_ARGUMENTS = 256 };
enum { TAKES_NARROWING = 1, TAKES_WAIT = 2, TAKES_RESTARTS = 4, TAKES_OPENINGS = 8, TAKES_OUTPUT = 16,
       TAKES_FORWARDING = 32 };
enum { MOST_PORT = 65535 };
enum { MOST_SECRETS = 4096 };

static const char usage[] =
    "Usage:\n"
    "  relay - UNIX-CONNECT:<socket>\n"
    "      bridges standard input and output to the socket (an agent's side)\n"
    "  relay [--network none|listen|restricted] [--file-size <bytes>] UNIX-CONNECT:<socket> -- <command> [argument...]\n"
    "      bridges the standard input and output of a command to the socket, with a fresh process for each connection\n"
    "      (an MCP server's side)\n"
    "  relay run [--network none|listen|restricted] [--file-size <bytes>] [--wait <path>] [--wait-limit-ms <number>] -- <command>\n"
    "            [argument...]\n"
    "      waits for the path, runs the command, and ends with its exit code\n"
    "      The last two also take --report <socket>, which is told how the command ends and what it writes to standard error\n"
    "      (of run: to standard output as well), and --secret <variable> for each value that is redacted in that first;\n"
    "      --report-end <socket> in its place is told only how the command starts and ends\n"
    "      run also takes --gateway <socket> with --port <number>: it keeps an idle connection to the socket, and copies what comes on it\n"
    "      to and from that port of 127.0.0.1; --dial in place of --gateway: the first byte says that the connection is used, and is not\n"
    "      copied. --listen <port>=<socket>, which may be repeated: what comes to that port of 127.0.0.1 is copied to and from the socket\n"
    "      With --report or --report-end, run takes --ready-port <number>, or --ready-argument <text> for each part of a command: it reports\n"
    "      that the command is ready when that port of 127.0.0.1 takes a connection, or that command ends with 0\n"
    "      --network listen: the command takes TCP connections, and opens none\n"
    "  relay supervise [--restarts <number>] -- <command> [argument...]\n"
    "      runs the command, and again when it ends without having been asked to\n"
    "  relay install <root> [directory...]\n"
    "      makes the directories below the root and puts the relay in <root>/bin\n"
    "  relay network-policy [--dns <address>]... [--open <address>:<port>]...\n"
    "      makes private networks unreachable from this network namespace, and holds it; what is opened is reached over TCP\n";

struct options {
  enum network network;
  /* The most that a file may grow to; 0: no limit. */
  long file_size_bytes;
  struct run_options run;
  int restarts;
  char *dns_servers[MOST_DNS_SERVERS + 1];
  int dns_server_count;
  char *destinations[MOST_DESTINATIONS + 1];
  int destination_count;
  const char *dialed_path;
  bool is_announced;
  int port;
  int ready_port;
  char *ready_command[MOST_READY_ARGUMENTS + 1];
  int ready_argument_count;
  const char *report_path;
  bool is_output_reported;
  char *secrets[MOST_SECRETS + 1];
  int secret_count;
};

static int expected(const char *form) {
  report("expected: relay %s", form);
  return EXIT_USAGE;
}

/* A whole number in range, or -1. */
static long parse_number(const char *text, long most) {
  char *end;
  errno = 0;
  const long number = strtol(text, &end, 10);
  return *text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > most ? -1 : number;
}

static bool is_network_taken(struct options *options, const char *value) {
  const struct {
    const char *name;
    enum network network;
  } known[] = {{"none", NETWORK_NONE}, {"listen", NETWORK_LISTEN}, {"restricted", NETWORK_RESTRICTED}};
  for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
    if (strcmp(value, known[index].name) == 0) {
      options->network = known[index].network;
      return true;
    }
  }
  return false;
}

/* <port>=<socket> */
static bool is_listen_taken(struct run_options *run, char *value) {
  char *separator = strchr(value, '=');
  if (separator == NULL || run->listen_count == MOST_LISTENERS ||
      strlen(separator + 1) > SOCKET_PATH_MAX_BYTES) {
    return false;
  }
  *separator = '\0';
  const int port = (int)parse_number(value, MOST_PORT);
  *separator = '=';
  run->listens[run->listen_count++] = (struct listen){.port = port, .path = separator + 1};
  return port > 0 && separator[1] != '\0';
}

static bool is_value_taken(struct options *options, const char *name, char *value) {
  if (strcmp(name, "--network") == 0) {
    return is_network_taken(options, value);
  }
  if (strcmp(name, "--file-size") == 0) {
    options->file_size_bytes = parse_number(value, LONG_MAX);
    return options->file_size_bytes > 0;
  }
  if (strcmp(name, "--wait") == 0) {
    options->run.wait_path = value;
    return strlen(value) <= SOCKET_PATH_MAX_BYTES;
  }
  if (strcmp(name, "--wait-limit-ms") == 0) {
    options->run.wait_limit_ms = (int)parse_number(value, 24 * 60 * 60 * 1000);
    return options->run.wait_limit_ms >= 0;
  }
  if (strcmp(name, "--restarts") == 0) {
    options->restarts = (int)parse_number(value, MOST_RESTARTS);
    return options->restarts >= 0;
  }
  if (strcmp(name, "--gateway") == 0 || strcmp(name, "--dial") == 0) {
    options->dialed_path = value;
    options->is_announced = strcmp(name, "--dial") == 0;
    return strlen(value) <= SOCKET_PATH_MAX_BYTES;
  }
  if (strcmp(name, "--port") == 0 || strcmp(name, "--ready-port") == 0) {
    const int port = (int)parse_number(value, MOST_PORT);
    *(strcmp(name, "--port") == 0 ? &options->port : &options->ready_port) = port;
    return port > 0;
  }
  if (strcmp(name, "--listen") == 0) {
    return is_listen_taken(&options->run, value);
  }
  if (strcmp(name, "--ready-argument") == 0) {
    if (options->ready_argument_count == MOST_READY_ARGUMENTS) {
      return false;
    }
    options->ready_command[options->ready_argument_count++] = value;
    return true;
  }
  if (strcmp(name, "--report") == 0 || strcmp(name, "--report-end") == 0) {
    options->report_path = value;
    options->is_output_reported = strcmp(name, "--report") == 0;
    return strlen(value) <= SOCKET_PATH_MAX_BYTES;
  }
  if (strcmp(name, "--secret") == 0) {
    if (options->secret_count == MOST_SECRETS) {
      return false;
    }
    options->secrets[options->secret_count++] = value;
    return true;
  }
  if (strcmp(name, "--open") == 0) {
    if (options->destination_count == MOST_DESTINATIONS) {
      return false;
    }
    options->destinations[options->destination_count++] = value;
    return true;
  }
  if (options->dns_server_count == MOST_DNS_SERVERS) {
    return false;
  }
  options->dns_servers[options->dns_server_count++] = value;
  return true;
}

static bool is_allowed(const char *name, int allowed) {
  const struct {
    const char *name;
    int flag;
  } known[] = {
      {"--network", TAKES_NARROWING}, {"--file-size", TAKES_NARROWING}, {"--wait", TAKES_WAIT}, {"--wait-limit-ms", TAKES_WAIT},
      {"--restarts", TAKES_RESTARTS}, {"--dns", TAKES_OPENINGS}, {"--open", TAKES_OPENINGS}, {"--report", TAKES_OUTPUT}, {"--secret", TAKES_OUTPUT},
      {"--report-end", TAKES_OUTPUT}, {"--gateway", TAKES_FORWARDING}, {"--port", TAKES_FORWARDING},
      {"--dial", TAKES_FORWARDING}, {"--listen", TAKES_FORWARDING}, {"--ready-port", TAKES_FORWARDING}, {"--ready-argument", TAKES_FORWARDING},
  };
  for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
    if (strcmp(name, known[index].name) == 0) {
      return (known[index].flag & allowed) != 0;
    }
  }
  return false;
}

/* The first argument that is no option; NULL when something is wrong, reported. */
static char **parse_options(char **arguments, int allowed, struct options *options) {
  *options = (struct options){.run.wait_limit_ms = DEFAULT_WAIT_LIMIT_MS, .restarts = DEFAULT_RESTARTS};
  while (*arguments != NULL && strncmp(*arguments, "--", 2) == 0 && (*arguments)[2] != '\0') {
    if (!is_allowed(arguments[0], allowed)) {
      report("the option %s is not known here; relay --help says which are", arguments[0]);
      return NULL;
    }
    if (arguments[1] == NULL || !is_value_taken(options, arguments[0], arguments[1])) {
      report("the option %s does not take %s", arguments[0], arguments[1] == NULL ? "nothing" : arguments[1]);
      return NULL;
    }
    arguments += 2;
  }
  if (options->secret_count > 0 && !options->is_output_reported) {
    report("the option --secret needs --report: without it nothing is redacted");
    return NULL;
  }
  if ((options->dialed_path == NULL) != (options->port == 0)) {
    report("the options --gateway, or --dial, and --port need each other");
    return NULL;
  }
  return arguments;
}

/* The command after "--"; NULL when there is none. */
static char **command_of(char **arguments) {
  return arguments[0] != NULL && strcmp(arguments[0], "--") == 0 && arguments[1] != NULL ? arguments + 1 : NULL;
}

/* The path of UNIX-CONNECT:<path>; NULL when it is none. */
static const char *path_of(const char *address) {
  static const char prefix[] = "UNIX-CONNECT:";
  const size_t length = sizeof prefix - 1;
  return address != NULL && strncasecmp(address, prefix, length) == 0 && address[length] != '\0'
             ? address + length
             : NULL;
}

static bool is_path_short_enough(const char *path) {
  if (strlen(path) <= SOCKET_PATH_MAX_BYTES) {
    return true;
  }
  report("the socket path %s is longer than %d bytes", path, SOCKET_PATH_MAX_BYTES);
  return false;
}

static int main_bridge(char **arguments) {
  const char *path = path_of(arguments[0]);
  if (path == NULL || arguments[1] != NULL) {
    return expected("- UNIX-CONNECT:<socket>");
  }
  return is_path_short_enough(path) ? bridge(path) : EXIT_USAGE;
}

/*
 * What the command and all that descends from it can never take back. 0, or the exit
 * code, which was reported.
 */
static int narrow(const struct options *options) {
  const int code = narrow_network(options->network);
  return code != 0 || options->file_size_bytes == 0 ? code : limit_file_size(options->file_size_bytes);
}

static int main_serve(char **arguments) {
  struct options options;
  char **rest = parse_options(arguments, TAKES_NARROWING | TAKES_OUTPUT, &options);
  if (rest == NULL) {
    return EXIT_USAGE;
  }
  const char *path = path_of(rest[0]);
  char **command = path == NULL ? NULL : command_of(rest + 1);
  if (command == NULL) {
    return expected("UNIX-CONNECT:<socket> -- <command> [argument...]");
  }
  if (!is_path_short_enough(path)) {
    return EXIT_USAGE;
  }
  output_open(options.report_path, options.is_output_reported, options.secrets);
  const int code = narrow(&options);
  return code != 0 ? code : serve(path, command);
}

static int main_run(char **arguments) {
  struct options options;
  char **rest = parse_options(arguments, TAKES_NARROWING | TAKES_WAIT | TAKES_OUTPUT | TAKES_FORWARDING,
                              &options);
  if (rest == NULL) {
    return EXIT_USAGE;
  }
  char **command = command_of(rest);
  if (command == NULL) {
    return expected("run [option...] -- <command> [argument...]");
  }
  output_open(options.report_path, options.is_output_reported, options.secrets);
  if (options.dialed_path != NULL) {
    forward_open(options.dialed_path, options.port, options.is_announced);
  }
  ready_open(options.ready_port, options.ready_argument_count == 0 ? NULL : options.ready_command);
  const int code = narrow(&options);
  return code != 0 ? code : run(&options.run, command);
}

static int main_supervise(char **arguments) {
  struct options options;
  char **rest = parse_options(arguments, TAKES_RESTARTS, &options);
  if (rest == NULL) {
    return EXIT_USAGE;
  }
  char **command = command_of(rest);
  return command == NULL ? expected("supervise [--restarts <number>] -- <command> [argument...]")
                         : supervise(options.restarts, command);
}

static int main_install(char **arguments) {
  struct options none;
  if (parse_options(arguments, 0, &none) == NULL) {
    return EXIT_USAGE;
  }
  return arguments[0] == NULL ? expected("install <root> [directory...]") : install(arguments[0], arguments + 1);
}

static int main_network_policy(char **arguments) {
  struct options options;
  char **rest = parse_options(arguments, TAKES_OPENINGS, &options);
  if (rest == NULL) {
    return EXIT_USAGE;
  }
  return rest[0] != NULL ? expected("network-policy [--dns <address>]... [--open <address>:<port>]...")
                         : apply_network_policy(options.dns_servers, options.destinations);
}

static bool is_help(const char *argument) {
  return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* As the first argument, or the first of a mode: later ones may be values of options. */
static bool asks_for_help(int count, char **arguments) {
  return (count > 1 && is_help(arguments[1])) || (count > 2 && strcmp(arguments[1], "--") != 0 && is_help(arguments[2]));
}

/*
 * Were one of the first three closed, a socket of ours would take its place, and a
 * command would find it there.
 */
static void open_standard_descriptors(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) {
    close(descriptor);
  }
}

int main(int count, char **arguments) {
  open_standard_descriptors();
  if (asks_for_help(count, arguments)) {
    return fputs(usage, stdout) < 0 || fflush(stdout) != 0;
  }
  const struct {
    const char *name;
    int (*mode)(char **);
  } modes[] = {
      {"-", main_bridge}, {"run", main_run},   {"supervise", main_supervise},
      {"install", main_install}, {"network-policy", main_network_policy},
  };
  signals_hold();
  for (size_t index = 0; count > 1 && index < sizeof modes / sizeof *modes; index++) {
    if (strcmp(arguments[1], modes[index].name) == 0) {
      return modes[index].mode(arguments + 2);
    }
  }
  return main_serve(count > 1 ? arguments + 1 : arguments + count);
}
