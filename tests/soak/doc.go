// Command soak runs a gateway at the machine's full load while everything around it fails at random, and
// checks every answer.
//
//	soak [-for 10m] [-seed N]      two proxy nodes on a real etcd, upstreams that fail in every way, clients that
//	                               check every byte and sometimes leave, and a configuration that keeps changing
//	soak -idle-streams 10000       what a node holds for that many silent streams, and after they have ended
//
// It exits with 1 when a client got anything but one whole right answer or one proper error, when the upstreams
// saw other attempts than the gateway admits, or when a node does not come back to what it held at the start.
package main
