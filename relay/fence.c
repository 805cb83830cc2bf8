#include "relay.h"
int fence(char *const dns_servers[]) { (void)dns_servers; report("not yet"); return 1; }
