# Each image holds static binaries from dist/ and nothing else: no shell, no libc, no certificate store
# (the binaries carry the TLS roots). `make images` builds the binaries first, then every target here.

FROM scratch AS etcd
COPY dist/etcd dist/etcdctl /usr/local/bin/
# A new volume takes its owner from the folder that it covers.
COPY --chown=65532:65532 dist/empty /var/lib/etcd
USER 65532:65532
WORKDIR /var/lib/etcd
EXPOSE 2379 2380
ENTRYPOINT ["/usr/local/bin/etcd"]

FROM scratch AS proxy
COPY dist/sluice-proxy /usr/local/bin/sluice-proxy
COPY --chown=65532:65532 dist/empty /etc/sluice/keys
USER 65532:65532
EXPOSE 8080 9090
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["/usr/local/bin/sluice-proxy", "health"]
ENTRYPOINT ["/usr/local/bin/sluice-proxy"]

FROM scratch AS admin
COPY dist/sluice-admin /usr/local/bin/sluice-admin
COPY --chown=65532:65532 dist/empty /etc/sluice/keys
USER 65532:65532
EXPOSE 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["/usr/local/bin/sluice-admin", "health"]
ENTRYPOINT ["/usr/local/bin/sluice-admin"]

FROM scratch AS demo
COPY dist/sluice /usr/local/bin/sluice
COPY --chown=65532:65532 dist/empty /etc/sluice/keys
USER 65532:65532
EXPOSE 9100
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["/usr/local/bin/sluice", "demo-upstream", "health"]
ENTRYPOINT ["/usr/local/bin/sluice"]
CMD ["demo-upstream"]
