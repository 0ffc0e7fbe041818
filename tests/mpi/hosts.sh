#!/bin/sh
# Two hosts, each with a network, a host name and a file tree, made of namespaces: the same bits as on one machine,
# also over a network that is slow; a file that one host lacks ends the run.
set -eu
if [ "${NEY_TWO_HOSTS:-}" != inside ]; then
    . "$CASE_DIR/lib.sh"
    for way in '-n -m -u' '-U -r -n -m -u'; do # as root, or as the root of a user namespace
        # shellcheck disable=SC2086 # options
        if unshare $way sh -c 'mount -t tmpfs none /run && ip netns add trial && ip link add v0 type veth peer name v1 netns trial &&
            hostname trial' > probe 2>&1; then
            NEY_TWO_HOSTS=inside exec unshare $way sh -eu "$0"
        fi
    done
    echo "[  SKIPPED ] no namespaces of networks here (package iproute2, and the right to make them): $(tail -n 1 probe)"
    exit 77
fi

# ---- two hosts
. "$CASE_DIR/lib.sh"
here=$PWD
mkdir -p zero/tmp one/tmp host
mount -t tmpfs none /run
hostname zero
ip link set lo up
ip netns add one
ip link add v0 type veth peer name v1 netns one
ip address add 10.77.0.1/24 dev v0
ip link set v0 up
ip -n one address add 10.77.0.2/24 dev v1
ip -n one link set v1 up
ip -n one link set lo up
mount --bind zero host
# What Open MPI would start by ssh begins in the namespaces of the other host.
cat > agent << END
#!/bin/sh
shift
AGENT_COMMAND="\$*" exec nsenter --net=/run/netns/one unshare -m -u sh -c \
    'hostname one && umount "$here/host" && mount --bind "$here/one" "$here/host" && cd "$here/host" && exec sh -c "\$AGENT_COMMAND"'
END
chmod +x agent
export TMPDIR="$here/host/tmp" OMPI_MCA_btl=self,vader,tcp
hosts() { # N COMMAND...: the first half of N ranks on this host
    n=$1
    shift
    mpirun --mca plm_rsh_agent "$here/agent" --mca plm_rsh_no_tree_spawn 1 --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --host 10.77.0.1:$((n / 2)),10.77.0.2:$((n / 2)) -n "$n" --wdir "$here/host" \
        neyman-mpi "$@"
}

# ---- shards, each on one host only
gzip -dc "$DATA/wdbc-train.csv.gz" > all.csv
for k in 0 1 2 3; do
    { head -n 1 all.csv; tail -n +2 all.csv | awk -v k=$k 'NR % 4 == k'; } > part-000$k.csv
done
mkdir all
cp part-*.csv all
mv part-0000.csv part-0001.csv zero
mv part-0002.csv part-0003.csv one
(cd all && ranks 1 train -q 'part-%04d.csv' --label diagnosis --cost-fn 2 -C 0.1 -o ../plain > ../out)
hosts 2 train 'part-%04d.csv' --label diagnosis --cost-fn 2 -C 0.1 --json -o model.2 > json
cmp plain zero/model.2
grep -q '"ranks":.2' json
hosts 4 train -q 'part-%04d.csv' --label diagnosis --cost-fn 2 -C 0.1 -o model.4 > out
cmp plain zero/model.4
test ! -e one/model.2 # the first rank writes

# ---- scores: in one file on the first host, or a file on each
cp plain zero/plain
cp plain one/plain
(cd all && neyman predict -q ../plain part-0000.csv part-0001.csv part-0002.csv part-0003.csv --scores -o ../scores > ../out)
hosts 4 predict -q plain 'part-%04d.csv' --scores -o scores > out
cmp scores zero/scores
hosts 2 predict -q plain 'part-%04d.csv' --scores -o 'scores-%d' > out
tail -n +2 one/scores-1 | cat zero/scores-0 - | cmp scores -

# ---- a slow network
slow=no
tc qdisc add dev v0 root netem delay 20ms 10ms 2> /dev/null && slow=netem
[ $slow != no ] || ! tc qdisc add dev v0 root tbf rate 1mbit burst 10kb latency 500ms 2> /dev/null || slow=tbf
if [ $slow = no ]; then
    echo "no slow network: the kernel has neither netem nor tbf"
else
    hosts 2 train -q 'part-%04d.csv' --label diagnosis --cost-fn 2 -C 0.1 -o model.slow > out
    cmp plain zero/model.slow
fi

# ---- a shard that its host lacks
rm one/part-0003.csv
touch zero/part-0003.csv # there, but read on the other host
status=0
hosts 2 train -q 'part-%04d.csv' --label diagnosis -o no > out 2> err || status=$?
test $status -eq 1
grep -q 'rank 1: part-0003.csv' err || grep -q 'part-0003.csv.*rank 1' err
test ! -e zero/no
