package cluster

import "strconv"

// settings are given on the server's command line, so that they override postgresql.conf,
// and change with the program, not with the age of the cluster. Everything else can be
// tuned in postgresql.conf.
func settings(socket string, throwaway bool, most int) []string {
	list := []string{
		"listen_addresses=",
		"port=" + port,
		"unix_socket_directories=" + quoteList(socket),
		"unix_socket_permissions=0700",
		"password_encryption=scram-sha-256",
		"logging_collector=off", // standard error is postgres.log
		"log_line_prefix=%m [%p] ",
		"timezone=UTC",
		"log_timezone=UTC",
		"shared_buffers=128MB",
		// A client that vanished in a transaction would keep its locks forever.
		"idle_in_transaction_session_timeout=60s",
	}
	if throwaway {
		list = append(list, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=128MB", "max_connections=300")
	} else {
		list = append(list, "fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=100")
	}
	if most > 0 {
		list = append(list, "max_connections="+strconv.Itoa(most))
	}
	var arguments []string
	for _, setting := range list {
		arguments = append(arguments, "-c", setting)
	}
	return arguments
}
