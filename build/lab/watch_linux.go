package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A child whose syncs are watched puts a filter on itself (seccomp): each fsync,
// fdatasync and msync, also of Badger's memory maps and of its own children, waits
// until the laboratory has answered it. So the laboratory knows exactly what the
// system was asked to make durable, and nothing needs rights or other programs.

// watched are the calls by which data become durable. Opening is one where every
// write to the file is to be synced.
var watched = []uint32{unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_MSYNC}

// notice is a call that waits for its answer; as the kernel lays it out.
type notice struct {
	id    uint64
	pid   uint32 // the thread that made it
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// answer lets a call return value without being made.
type answer struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// watchSyncs filters this process and gives the file on which its notices come.
func watchSyncs() (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	arch, ok := architectures[runtime.GOARCH]
	if !ok {
		return 0, fmt.Errorf("syncs can't be watched on %s", runtime.GOARCH)
	}
	// Of another architecture: allow. One of ours: notify. Another than openat: allow.
	// With O_DSYNC among its flags, the third argument: notify. Else allow.
	const load, equal = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	n := uint8(len(watched))
	code := []unix.SockFilter{
		{Code: load, K: 4},
		{Code: equal, Jf: n + 4, K: arch},
		{Code: load, K: 0},
	}
	for i, nr := range watched {
		code = append(code, unix.SockFilter{Code: equal, Jt: n + 3 - uint8(i), K: nr})
	}
	code = append(code,
		unix.SockFilter{Code: equal, Jf: 2, K: unix.SYS_OPENAT},
		unix.SockFilter{Code: load, K: 16 + 2*8},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, K: unix.O_DSYNC},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("filter system calls: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(code)
	if e != 0 {
		return 0, fmt.Errorf("filter system calls: %w", e)
	}
	return int(fd), nil
}

// giveNotices filters this process and hands the notices to whoever holds the other
// end of the socket fd.
func giveNotices(fd int) error {
	listener, err := watchSyncs()
	if err != nil {
		return err
	}
	err = unix.Sendmsg(fd, []byte{1}, unix.UnixRights(listener), nil, 0)
	return errors.Join(err, unix.Close(listener), unix.Close(fd))
}

// takeNotices takes the file that giveNotices sends.
func takeNotices(conn *net.UnixConn) (int, error) {
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return 0, fmt.Errorf("watch a child: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return 0, fmt.Errorf("watch a child: it gave nothing to watch (%w)", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, fmt.Errorf("watch a child: it gave nothing to watch (%w)", err)
	}
	return fds[0], nil
}

// errGone: the thread of a notice is no longer there.
var errGone = errors.New("the call is gone")

func receive(listener int) (notice, error) {
	var n notice
	for {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		switch e {
		case 0:
			return n, nil
		case unix.EINTR:
		case unix.ENOENT:
			return n, errGone
		default:
			return n, fmt.Errorf("wait for a sync: %w", e)
		}
	}
}

// reply lets the call return 0: the disk of the laboratory has what it was given.
func reply(listener int, n notice) error { return send(listener, answer{id: n.id}) }

// refuse lets the call fail.
func refuse(listener int, n notice, e unix.Errno) error {
	return send(listener, answer{id: n.id, err: -int32(e)})
}

// let lets the call be made.
func let(listener int, n notice) error {
	return send(listener, answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

func send(listener int, a answer) error {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	if e != 0 && e != unix.ENOENT {
		return fmt.Errorf("answer a call: %w", e)
	}
	return nil
}

// giveFile answers an opening with a file of ours.
func giveFile(listener int, n notice, f *os.File) error {
	a := struct {
		id                      uint64
		flags, file, new, under uint32
	}{n.id, unix.SECCOMP_ADDFD_FLAG_SEND, uint32(f.Fd()), 0, unix.O_CLOEXEC}
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_ADDFD, uintptr(unsafe.Pointer(&a)))
	if e != 0 && e != unix.ENOENT {
		return fmt.Errorf("answer a call: %w", e)
	}
	return nil
}

// pathAt reads a path out of the memory of the process that made a call.
func pathAt(n notice, address uint64) (string, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return "", fmt.Errorf("look what is opened: %w", err)
	}
	defer f.Close()
	var path []byte
	for b := make([]byte, 1); len(path) < unix.PathMax; path = append(path, b[0]) {
		if _, err := f.ReadAt(b, int64(address)+int64(len(path))); err != nil {
			return "", fmt.Errorf("look what is opened: %w", err)
		}
		if b[0] == 0 {
			break
		}
	}
	return string(path), nil
}

// socketPair is a connection of which the child gets one end.
func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("connect a child: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "child")
	mine := os.NewFile(uintptr(fds[0]), "laboratory")
	conn, err := net.FileConn(mine)
	if err = errors.Join(err, mine.Close()); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("connect a child: %w", err), theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}

// memoryDir is a folder in memory with room for a few homes, "" for none.
func memoryDir() string {
	const dir = "/dev/shm"
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bavail*uint64(s.Bsize) < 1<<30 || unix.Access(dir, unix.W_OK) != nil {
		return ""
	}
	return dir
}
