# SPDX-License-Identifier: GPL-2.0-or-later
#
# A concordance: every line of perl's own library and manual, and for each word the places where it
# stands and what follows it: hashes of arrays of real text.
#
# usage: words.pl MIB: grows to that much private memory, prints "ready", keeps it until its input ends.
use strict;
use warnings;

my (%lines, %places, %follows, %titles);

sub private_mib {
	open my $status, '<', '/proc/self/status' or die "words.pl: /proc/self/status: $!\n";
	while (<$status>) {
		return int($1 / 1024) if /^RssAnon:\s*(\d+)/;
	}
	die "words.pl: no RssAnon in /proc/self/status\n";
}

sub sources {
	my ($folder) = @_;
	my @found;
	opendir my $dir, $folder or return;
	for my $name (sort readdir $dir) {
		my $path = "$folder/$name";
		next if $name =~ /^\./ or -l $path;
		if (-d $path) {
			push @found, sources($path);
		} elsif ($name =~ /\.(?:pm|pod|pl)$/) {
			push @found, $path;
		}
	}
	return @found;
}

sub add {
	my ($path, $edition) = @_;
	open my $source, '<', $path or return;
	my $key = $edition ? "$path#$edition" : $path;
	my $previous = '';
	while (my $line = <$source>) {
		chomp $line;
		push @{$lines{$key}}, $line;
		push @{$titles{$path}}, {text => $1, line => $.} if $line =~ /^=head\d\s+(.*)/;
		for my $word ($line =~ /\w+/g) {
			push @{$places{$word}}, "$key:$.";
			$follows{$previous}{$word}++;
			$previous = $word;
		}
	}
}

my $target = shift;
my %seen;
my @sources = grep { !$seen{$_}++ } map { sources($_) } sort grep { m{^/usr/(?:lib|share)/} } @INC;
die "words.pl: no perl library found\n" unless @sources;
for (my $edition = 0; private_mib() < $target; $edition++) {
	for my $path (@sources) {
		add($path, $edition);
		last if private_mib() >= $target;
	}
}
$| = 1;
print "ready\n";
1 while <STDIN>;
