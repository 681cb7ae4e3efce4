// Says nothing and never ends.
setInterval(() => {}, 1000);
