"""Writes one line for each datagram and each start of a connection that passes the interface named first, until it is ended."""
import socket
import sys

wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003))
wire.bind((sys.argv[1], 0))
print("ready", flush=True)
while True:
    packet, where = wire.recvfrom(65535)
    if where[1] != 0x0800:
        continue
    start = (packet[0] & 15) * 4
    to = socket.inet_ntoa(packet[16:20])
    port = int.from_bytes(packet[start + 2 : start + 4], "big")
    if packet[9] == 17:
        print(f"udp {to}:{port} ttl {packet[8]} {packet[start + 8 :]!r}", flush=True)
    elif packet[9] == 6:
        print(f"tcp {to}:{port}", flush=True)
